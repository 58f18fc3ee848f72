// The failure of a command that meets a server which requires a login.
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'

/** For commands without a terminal. */
export function loginNeeded(label: string): Failure {
  return new Failure('The server requires a login.', {
    slug: 'unauthorized',
    exitCode: EXIT.notAuthorized,
    hint: `Use --token, or run: mcpwire login ${showLine(label)}`,
  })
}

/** For a login that was kept, and that the server takes no more. */
export function loginRefused(label: string): Failure {
  return new Failure('The server no longer accepts the kept login.', {
    slug: 'unauthorized',
    exitCode: EXIT.notAuthorized,
    hint: `Use --token, or run: mcpwire login ${showLine(label)}`,
  })
}

/** For a token that the command line was given. What it was is not repeated. */
export function tokenRefused(label: string): Failure {
  return new Failure('The server does not accept the token of --token.', {
    slug: 'unauthorized',
    exitCode: EXIT.notAuthorized,
    hint: `Check that it is valid and meant for this server, or run: mcpwire login ${showLine(label)}`,
  })
}

/** For a call that needs more rights than the token has. */
export function scopesMissing(label: string, scopes: readonly string[], hasOwnToken: boolean, cause: unknown): Failure {
  const options = scopes.map((scope) => ` --scope ${showLine(scope)}`).join('')
  const login = `run: mcpwire login ${showLine(label)}${options}`
  return new Failure(`The caller does not have the required scopes: ${scopes.map(showLine).join(', ')}.`, {
    slug: 'scopes-missing',
    exitCode: EXIT.notAuthorized,
    hint: hasOwnToken ? `Use a token with these scopes, or ${login}` : login.replace('run', 'Run'),
    cause,
  })
}

/** For a login that is kept, and that has too few rights for what was asked. */
export function moreScopesNeeded(label: string, scopes: readonly string[]): Failure {
  const options = scopes.map((scope) => ` --scope ${showLine(scope)}`).join('')
  return new Failure(`The kept login has too few rights. The server asks for: ${scopes.map(showLine).join(', ')}.`, {
    slug: 'forbidden',
    exitCode: EXIT.notAuthorized,
    hint: `Run: mcpwire login ${showLine(label)}${options}`,
  })
}

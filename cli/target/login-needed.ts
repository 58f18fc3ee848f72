// The failure of a command that meets a server which requires a login.
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'

/** For commands without a terminal, and with tokens that are not accepted any more. */
export function loginNeeded(label: string): Failure {
  return new Failure('The server requires a login.', {
    slug: 'unauthorized',
    exitCode: EXIT.notAuthorized,
    hint: `Use --token, or run: mcpwire login ${showLine(label)}`,
  })
}

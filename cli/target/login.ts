// Authorization of a URL: a token that was given, tokens that an earlier login kept, or a login when the server asks for one.
import { readdirSync } from 'node:fs'
import type { AuthProvider } from 'mcpwire/auth'
import { fileTokenStore, openBrowser } from 'mcpwire/node'
import { configFile } from '../files/user-files.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { showLine } from '../terminal/terminal-text.ts'

export interface LoginOptions {
  /** Whether somebody is there to log in. */
  mayLogIn: boolean
  output: Output
}

/** OAuth is loaded when the server asks for it, or when there are tokens of an earlier login. */
export function lazyLogin({ mayLogIn, output }: LoginOptions): AuthProvider {
  return {
    authorize(poster, resource) {
      let authorized: Promise<typeof poster> | undefined
      const load = () => {
        authorized ??= createProvider(mayLogIn, output).then((provider) => provider.authorize(poster, resource))
        return authorized
      }
      if (hasKeptTokens()) void load().catch(() => {})
      return async (request) => {
        if (authorized === undefined) {
          const response = await poster(request)
          if (response.status !== 401 || !mayLogIn) return response
          response.cancel()
        }
        return (await load())(request)
      }
    },
  }
}

async function createProvider(mayLogIn: boolean, output: Output): Promise<AuthProvider> {
  const { oauth } = await import('mcpwire/auth')
  return oauth({
    clientName: 'mcpwire',
    store: fileTokenStore(),
    redirect: async (url) => {
      if (!mayLogIn) throw loginNeeded()
      output.status(undefined)
      output.note(`The server requires a login. Opening ${showLine(url.origin)} in the browser.`)
      if (!(await openBrowser(url))) output.note(`Open this URL to log in: ${showLine(url.href)}`)
    },
  })
}

function loginNeeded(): Failure {
  return new Failure('The server requires a login, and the kept tokens are not accepted any more.', {
    slug: 'unauthorized',
    exitCode: EXIT.notAuthorized,
    hint: 'Run the command on a terminal to log in, or use --token.',
  })
}

/** Whether an earlier login kept tokens, for any server. */
function hasKeptTokens(): boolean {
  try {
    return readdirSync(configFile('tokens')).some((name) => name.endsWith('.json'))
  } catch {
    return false
  }
}

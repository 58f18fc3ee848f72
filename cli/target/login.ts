// Authorization of a URL: tokens that an earlier login kept, or a login when the server asks for one.
import { readdirSync } from 'node:fs'
import type { AuthProvider } from 'mcpwire/auth'
import { fileTokenStore, openBrowser } from 'mcpwire/node'
import { configFile } from '../files/user-files.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { type LoginChoices, readChoices } from './kept-login.ts'

export interface LoginOptions {
  /** Whether somebody is there to log in. */
  mayLogIn: boolean
  output: Output
  /** The target as it is typed again, for the command that logs in. */
  label: string
  /** Those of an earlier login at this server by default. */
  choices?: LoginChoices | undefined
  /** `false`: the URL of the login page is only printed. */
  opensBrowser?: boolean | undefined
}

/** OAuth is loaded when the server asks for it, or when there are tokens of an earlier login. */
export function lazyLogin(options: LoginOptions): AuthProvider {
  return {
    authorize(poster, resource) {
      let authorized: Promise<typeof poster> | undefined
      const load = () => {
        authorized ??= createProvider(resource, options).then((provider) => provider.authorize(poster, resource))
        return authorized
      }
      if (hasKeptTokens()) void load().catch(() => {})
      return async (request) => {
        if (authorized === undefined) {
          const response = await poster(request)
          if (response.status !== 401 || !options.mayLogIn) return response
          response.cancel()
        }
        return (await load())(request)
      }
    },
  }
}

async function createProvider(resource: URL, options: LoginOptions): Promise<AuthProvider> {
  const { mayLogIn, output, label, opensBrowser = true, choices = readChoices(resource) } = options
  const { clientId, scopes } = choices
  const { oauth } = await import('mcpwire/auth')
  return oauth({
    clientName: 'mcpwire',
    store: fileTokenStore(),
    ...(clientId !== undefined && { client: { id: clientId } }),
    ...(scopes !== undefined && { scopes }),
    onWarning: (error) => output.note(`mcpwire: ${showLine(error.message)}`),
    redirect: async (url) => {
      if (!mayLogIn) throw loginNeeded(label)
      output.status(undefined)
      if (opensBrowser) output.note(`The server requires a login. Opening ${showLine(url.origin)} in the browser.`)
      if (!opensBrowser || !(await openBrowser(url))) output.note(`Open this URL to log in: ${showLine(url.href)}`)
    },
  })
}

/** For commands without a terminal, and with tokens that are not accepted any more. */
export function loginNeeded(label: string): Failure {
  return new Failure('The server requires a login.', {
    slug: 'unauthorized',
    exitCode: EXIT.notAuthorized,
    hint: `Use --token, or run: mcpwire login ${showLine(label)}`,
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

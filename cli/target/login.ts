// Authorization of a URL: tokens that an earlier login kept, or a login when the server asks for one.
import { readdirSync } from 'node:fs'
import type { AuthProvider } from 'mcpwire/auth'
import { configFile } from '../files/user-files.ts'
import type { Output } from '../terminal/output.ts'
import type { LoginChoices } from './kept-login.ts'

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
        authorized ??= import('./login-provider.ts').then(({ createProvider }) =>
          createProvider(resource, options).authorize(poster, resource),
        )
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

/** Whether an earlier login kept tokens, for any server. */
function hasKeptTokens(): boolean {
  try {
    return readdirSync(configFile('tokens')).some((name) => name.endsWith('.json'))
  } catch {
    return false
  }
}

// The OAuth provider of a login: loaded when a server asks for one, or when there are tokens of an earlier login.
import { type AuthProvider, type OAuthOptions, oauth } from 'mcpwire/auth'
import { fileTokenStore, openBrowser } from 'mcpwire/node'
import { showLine } from '../terminal/terminal-text.ts'
import { type LoginChoices, readChoices } from './kept-login.ts'
import type { LoginOptions } from './login.ts'
import { loginNeeded } from './login-needed.ts'

export function createProvider(resource: URL, options: LoginOptions): AuthProvider {
  const { mayLogIn, output, label, opensBrowser = true, choices = readChoices(resource) } = options
  return oauth({
    ...toOAuthOptions(choices),
    store: fileTokenStore(),
    onWarning: (error) => output.note(`mcpwire: ${showLine(error.message)}`),
    redirect: async (url) => {
      if (!mayLogIn) throw loginNeeded(label)
      output.status(undefined)
      if (opensBrowser) output.note(`The server requires a login. Opening ${showLine(url.origin)} in the browser.`)
      if (!opensBrowser || !(await openBrowser(url))) output.note(`Open this URL to log in: ${showLine(url.href)}`)
    },
  })
}

/** What a login at this server needs, as the provider takes it. */
export function toOAuthOptions({ clientId, scopes }: LoginChoices): OAuthOptions {
  return {
    clientName: 'mcpwire',
    ...(clientId !== undefined && { client: { id: clientId } }),
    ...(scopes !== undefined && { scopes }),
  }
}

// The OAuth provider of a login: loaded when a server asks for one, or when there are tokens of an earlier login.
import { type AuthProvider, type OAuthOptions, oauth } from 'mcpwire/auth'
import { fileTokenStore, openBrowser } from 'mcpwire/node'
import { showLine } from '../terminal/terminal-text.ts'
import { type KeptLogin, type LoginChoices, readChoices, readKeptLogin, SECRET_VARIABLE } from './kept-login.ts'
import type { LoginOptions } from './login.ts'
import { loginNeeded, loginRefused, moreScopesNeeded } from './login-needed.ts'

export function createProvider(resource: URL, options: LoginOptions): AuthProvider {
  const { mayLogIn, output, label, opensBrowser = true, choices = readChoices(resource) } = options
  if (choices.hasSecret === true && !process.env[SECRET_VARIABLE]) {
    output.note(`mcpwire: The client of this login has a secret. Set ${SECRET_VARIABLE} to refresh its tokens.`)
  }
  // A refresh that the authorization server refuses takes the tokens out of the store.
  const before = readKeptLogin(resource.href).catch(() => undefined)
  return oauth({
    ...toOAuthOptions(choices),
    store: fileTokenStore(),
    onWarning: (error) => output.note(`mcpwire: ${showLine(error.message)}`),
    redirect: async (url) => {
      if (!mayLogIn) throw await findRefusal(url, resource, await before, label)
      output.status(undefined)
      if (opensBrowser) output.note(`The server requires a login. Opening ${showLine(url.origin)} in the browser.`)
      if (!opensBrowser || !(await openBrowser(url))) output.note(`Open this URL to log in: ${showLine(url.href)}`)
    },
  })
}

/** A page that asks for more than a login has given is about rights. */
async function findRefusal(page: URL, resource: URL, before: KeptLogin | undefined, label: string): Promise<Error> {
  // A refresh token is asked for with every login.
  const wanted = (page.searchParams.get('scope')?.split(' ') ?? []).filter((scope) => scope !== 'offline_access')
  const kept = (await readKeptLogin(resource.href)) ?? before
  const isMore = kept !== undefined && wanted.some((scope) => !kept.scopes.includes(scope))
  if (isMore) return moreScopesNeeded(label, wanted)
  return kept === undefined ? loginNeeded(label) : loginRefused(label)
}

/** What a login at this server needs, as the provider takes it. */
export function toOAuthOptions(
  choices: LoginChoices,
  secret: string | undefined = process.env[SECRET_VARIABLE],
): OAuthOptions {
  const { clientId, scopes, redirectUri, resource, assumePkce, parameters } = choices
  return {
    clientName: 'mcpwire',
    ...(clientId !== undefined && { client: { id: clientId, ...(secret && { secret, issuer: 'discovered' }) } }),
    ...(scopes !== undefined && { scopes }),
    ...(redirectUri !== undefined && { redirectUri }),
    ...(resource === false && { resourceParameter: false }),
    ...(assumePkce === true && { assumePkce }),
    ...(parameters !== undefined && { authorizationParameters: parameters }),
  }
}

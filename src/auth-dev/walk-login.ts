// A browser and its user in a few lines, for tests: follows redirects with cookies, and allows what the login page shows.
import { typeError, withHelp } from '../primitives/help.ts'

const MAX_STEPS = 15

/** Resolves to the first address outside of the authorization server, which is the redirect URI of the client with the code. */
export async function walkLogin(page: string | URL, issuer: string, user: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(page)
  if (url.origin !== issuer)
    throw typeError('wrong-argument', `${url.origin} is not this authorization server (${issuer}).`)
  let form: URLSearchParams | undefined
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = form === undefined ? {} : { method: 'POST', body: form }
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...answer })
    keepCookies(cookies, response.headers.getSetCookie())
    const location = response.headers.get('location')
    await response.body?.cancel()
    if (location !== null) {
      form = undefined
      url = new URL(location, url)
      if (url.origin !== issuer) return url
    } else if (response.ok && url.pathname.startsWith('/interaction/')) {
      form = new URLSearchParams({ decision: 'allow', user })
    } else {
      throw withHelp('login-failed', new Error(`The login stopped at ${url.pathname} with HTTP ${response.status}.`))
    }
  }
  throw withHelp('login-failed', new Error(`The login did not end within ${MAX_STEPS} steps.`))
}

function keepCookies(cookies: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [pair = ''] = line.split(';')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
}

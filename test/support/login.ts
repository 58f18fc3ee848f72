// A browser and its user in a few lines: follows redirects with cookies until the authorization server lets go.

const MAX_STEPS = 12

/** Resolves to the first address outside the authorization server, which is the redirect URI of the client. */
export async function walkLogin(authorizationUrl: string | URL, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(authorizationUrl)
  for (let step = 0; step < MAX_STEPS; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    keepCookies(cookies, response.headers.getSetCookie())
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`Login stopped at ${url.pathname}: ${response.status} ${await response.text()}`)
    await response.body?.cancel()
    url = new URL(location, url)
    if (url.origin !== issuer) return url
  }
  throw new Error(`Login did not end within ${MAX_STEPS} steps`)
}

function keepCookies(cookies: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [pair = ''] = line.split(';')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
}

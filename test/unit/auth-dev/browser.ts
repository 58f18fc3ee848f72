// A browser with cookies that follows redirects, and fills in the login page.

const MAX_STEPS = 15

/** What the user does on the page: the fields of its form. */
export type Fill = (html: string) => Record<string, string>

export class Browser {
  readonly #issuer: string
  readonly #cookies = new Map<string, string>()

  constructor(issuer: string) {
    this.#issuer = issuer
  }

  /** Resolves to the first address outside of the authorization server. */
  async walk(page: URL, fill: Fill = () => ({ decision: 'allow' })): Promise<URL> {
    let url = page
    let form: Record<string, string> | undefined
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const response = await this.#fetch(url, form)
      form = undefined
      const location = response.headers.get('location')
      if (location === null) {
        const html = await response.text()
        if (!html.includes('<form method="post">')) throw new Error(`${url.pathname}: ${response.status} ${html}`)
        form = fill(html)
        continue
      }
      await response.body?.cancel()
      url = new URL(location, url)
      if (url.origin !== this.#issuer) return url
    }
    throw new Error(`The login did not end within ${MAX_STEPS} steps`)
  }

  async #fetch(url: URL, form: Record<string, string> | undefined): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...body })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }
}

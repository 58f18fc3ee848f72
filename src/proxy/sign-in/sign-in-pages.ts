// The sign-in pages, all at one address: what is connected for whom, the way to the login of the source, and the way back.
import type { HttpExchange, HttpHandler } from '../../http/exchange.ts'
import { type Principal, principalKey } from '../../http/principal.ts'
import { listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred, type MaybePromise } from '../../primitives/async/promises.ts'
import { encodeBase64Url } from '../../primitives/base64.ts'
import { type Page, sendPage, shown } from './page-texts.ts'
import { randomText, SIGN_IN_MS, type Ticket, type Tickets } from './tickets.ts'

export interface PageSettings {
  readonly tickets: Tickets
  readonly callback: URL
  readonly identify: ((exchange: HttpExchange) => MaybePromise<Principal>) | undefined
}

/** A browser that was sent to a login, by the state that it comes back with. */
interface Visit {
  readonly ticket: Ticket
  readonly browser: string
  readonly attempt: AbortController
  readonly arrived: Deferred<URLSearchParams>
  readonly done: Promise<void>
}

const BROWSER = /^[\w-]{43}$/

/** A handler that serves the pages, around another one that serves all else. */
export function createSignInPages(settings: PageSettings): (handler: HttpHandler) => HttpHandler {
  const pages = new SignInPages(settings)
  return (handler) => {
    const around: HttpHandler = (exchange) =>
      exchange.path === settings.callback.pathname ? pages.answer(exchange) : handler(exchange)
    if (handler.redeem !== undefined) around.redeem = handler.redeem
    if (handler.close !== undefined) around.close = async (options) => handler.close?.(options)
    return around
  }
}

class SignInPages {
  readonly #settings: PageSettings
  /** Each state is good once. */
  readonly #visits = new Map<string, Visit>()
  readonly #cookie: string
  readonly #cookieFlags: string

  constructor(settings: PageSettings) {
    this.#settings = settings
    const isSecure = settings.callback.protocol === 'https:'
    this.#cookie = `${isSecure ? '__Host-' : ''}mcpwire-connect`
    // Lax, so that it comes along when the authorization server sends the browser back.
    const flags = `; HttpOnly; SameSite=Lax; Max-Age=${SIGN_IN_MS / 1_000}`
    this.#cookieFlags = isSecure ? `; Path=/; Secure${flags}` : `; Path=${settings.callback.pathname}${flags}`
  }

  async answer(exchange: HttpExchange): Promise<void> {
    if (exchange.method !== 'GET') {
      exchange.reply(405, undefined, { allow: 'GET', 'cache-control': 'no-store' })
      return
    }
    const query = new URLSearchParams(exchange.query)
    if (query.has('state')) return this.#comeBack(exchange, query)
    if (!query.has('connect')) return this.#overview(exchange)
    const ticket = this.#settings.tickets.find(query.get('connect'))
    if (ticket === undefined) return sendPage(exchange, GONE)
    if (!(await this.#isOwner(exchange, ticket))) return sendPage(exchange, WRONG_PERSON)
    const proof = query.get('go')
    return proof === null ? this.#confirm(exchange, ticket) : this.#leave(exchange, ticket, proof)
  }

  /** What waits for the user, where the site knows who that is. */
  async #overview(exchange: HttpExchange): Promise<void> {
    const { identify, tickets } = this.#settings
    const principal = await identify?.(exchange)
    if (principal === undefined) return sendPage(exchange, GONE)
    const links = tickets.of(principalKey(principal)).map(({ url, source }) => ({ text: shown(source), href: url }))
    const line = links.length === 0 ? 'Nothing waits to be connected.' : 'These wait to be connected:'
    sendPage(exchange, { status: 200, title: 'Connections', lines: [line], links })
  }

  /** Asks before anything is connected, and marks the browser that is asked. */
  async #confirm(exchange: HttpExchange, ticket: Ticket): Promise<void> {
    const browser = this.#browserOf(exchange) ?? randomText()
    const { source, principal, scopes } = ticket.facts
    const subject = principal === undefined ? 'the user of this computer' : (principal.subject ?? principal.clientId)
    const page: Page = {
      status: 200,
      title: `Connect ${shown(source)} for ${shown(subject)}?`,
      lines: [
        `You will sign in at ${shown(source)}. From then on, ${shown(subject)} can use your account there by way of this server.`,
        ...(scopes.length > 0 ? [`It asks for: ${shown(scopes.join(', '))}.`] : []),
        'If you did not ask for this, or this is not you, close the page.',
      ],
      form: { button: 'Connect', values: { connect: ticket.secret, go: await proofOf(browser, ticket) } },
    }
    sendPage(exchange, page, { 'set-cookie': `${this.#cookie}=${browser}${this.#cookieFlags}` })
  }

  async #leave(exchange: HttpExchange, ticket: Ticket, proof: string): Promise<void> {
    const browser = this.#browserOf(exchange)
    if (browser === undefined || proof !== (await proofOf(browser, ticket))) return sendPage(exchange, WRONG_BROWSER)
    const page = await this.#begin(ticket, browser)
    if (page === undefined) return sendPage(exchange, FAILED)
    exchange.reply(303, undefined, {
      location: page.href,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
  }

  /** Resolves to the page of the authorization server. A newer attempt takes the place of an older one. */
  async #begin(ticket: Ticket, browser: string): Promise<URL | undefined> {
    ticket.attempt?.abort(new DOMException('The sign-in began anew.', 'AbortError'))
    const attempt = new AbortController()
    ticket.attempt = attempt
    const left = createDeferred<URL | undefined>()
    const arrived = createDeferred<URLSearchParams>()
    arrived.promise.catch(() => {})
    const done = ticket.facts.run({
      signal: attempt.signal,
      redirect: (page) => {
        const state = page.searchParams.get('state') ?? ''
        this.#visits.set(state, { ticket, browser, attempt, arrived, done })
        listenForAbort(attempt.signal, () => this.#visits.delete(state))
        left.resolve(page)
      },
      callback: () => arrived.promise,
    })
    done.catch(() => left.resolve(undefined))
    const page = await left.promise
    if (page === undefined) this.#settings.tickets.end(ticket, 'refused')
    return page
  }

  async #comeBack(exchange: HttpExchange, query: URLSearchParams): Promise<void> {
    const state = query.get('state') ?? ''
    const visit = this.#visits.get(state)
    if (visit === undefined) return sendPage(exchange, GONE)
    this.#visits.delete(state)
    const { ticket, attempt, arrived, done } = visit
    const { tickets } = this.#settings
    if (this.#browserOf(exchange) !== visit.browser || !(await this.#isOwner(exchange, ticket))) {
      attempt.abort(new DOMException('Somebody else came back.', 'AbortError'))
      tickets.end(ticket, 'refused')
      return sendPage(exchange, WRONG_BROWSER)
    }
    arrived.resolve(query)
    try {
      await done
    } catch {
      tickets.end(ticket, 'refused')
      return sendPage(exchange, FAILED)
    }
    tickets.end(ticket, 'connected')
    sendPage(exchange, {
      status: 200,
      title: `${shown(ticket.source)} is connected`,
      lines: ['You can close this page and go on in your program.'],
    })
  }

  async #isOwner(exchange: HttpExchange, { facts }: Ticket): Promise<boolean> {
    const { identify } = this.#settings
    return identify === undefined || principalKey(await identify(exchange)) === facts.owner
  }

  #browserOf({ headers }: HttpExchange): string | undefined {
    for (const pair of (headers['cookie'] ?? '').split(';')) {
      const [name = '', value = ''] = pair.trim().split('=')
      if (name === this.#cookie && BROWSER.test(value)) return value
    }
    return undefined
  }
}

/** Only the browser that was asked can answer: other sites neither know its cookie nor can make it. */
async function proofOf(browser: string, { secret }: Ticket): Promise<string> {
  const bytes = new TextEncoder().encode(`${browser} ${secret}`)
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

const GONE: Page = {
  status: 404,
  title: 'This sign-in is not open',
  lines: ['It has ended, or it was never begun. Go back to your program and try again.'],
}
const WRONG_PERSON: Page = {
  status: 403,
  title: 'This sign-in is for somebody else',
  lines: ['Only the person who was asked to sign in can do so. Check that you are logged in here as that person.'],
}
const WRONG_BROWSER: Page = {
  status: 403,
  title: 'This sign-in began in another browser',
  lines: ['Open the page again in this browser, from your program. Nothing was connected.'],
}
const FAILED: Page = {
  status: 400,
  title: 'Nothing was connected',
  lines: ['The sign-in was refused, or it failed. Go back to your program to try again.'],
}

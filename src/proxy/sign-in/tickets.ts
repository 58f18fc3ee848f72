// The sign-ins that users were asked for and that have not ended: each for one caller, one source and one set of scopes.

import { type SignIn, SignInEnding, type SignInOutcome } from '../../auth/client/sign-in-required.ts'
import type { Principal } from '../../http/principal.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { encodeBase64Url } from '../../primitives/base64.ts'

/** How long a user has for a sign-in. */
export const SIGN_IN_MS = 600_000
const MAX_PER_OWNER = 32
const MAX_TICKETS = 10_000

/** Runs the login of one attempt. Resolves when its tokens are kept. */
export type RunLogin = (attempt: LoginAttempt) => Promise<void>

export interface LoginAttempt {
  /** Gets the page of the authorization server. */
  readonly redirect: (page: URL) => void
  /** Resolves to the parameters that the browser came back with. */
  readonly callback: () => Promise<URLSearchParams>
  readonly signal: AbortSignal
}

export interface TicketFacts {
  readonly owner: string
  readonly principal: Principal
  readonly source: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly run: RunLogin
}

/** A sign-in that was asked for. */
export class Ticket implements SignIn {
  readonly id = randomText()
  /** Opens the page. */
  readonly secret = randomText()
  readonly facts: TicketFacts
  readonly overview: string | undefined
  readonly #ending = new SignInEnding()
  readonly #callbackUrl: string
  /** The attempt that is under way: a newer one takes its place. */
  attempt: AbortController | undefined

  constructor(facts: TicketFacts, callbackUrl: string, overview: string | undefined) {
    this.facts = facts
    this.#callbackUrl = callbackUrl
    this.overview = overview
  }

  get source(): string {
    return this.facts.source
  }

  get url(): string {
    const url = new URL(this.#callbackUrl)
    url.searchParams.set('connect', this.secret)
    return url.href
  }

  get ended(): Promise<SignInOutcome> {
    return this.#ending.ended
  }

  get outcome(): SignInOutcome | undefined {
    return this.#ending.outcome
  }

  end(outcome: SignInOutcome): void {
    this.attempt?.abort(new DOMException('The sign-in has ended.', 'AbortError'))
    this.attempt = undefined
    this.#ending.end(outcome)
  }
}

export class Tickets {
  readonly #callbackUrl: string
  readonly #overview: string | undefined
  readonly #bySecret = new Map<string, { readonly ticket: Ticket; readonly timer: Timer }>()

  /** `overview` is where users who are known find their sign-ins. */
  constructor(callbackUrl: string, overview: string | undefined) {
    this.#callbackUrl = callbackUrl
    this.#overview = overview
  }

  /** The one that waits already, where there is one for the same access. */
  issue(facts: TicketFacts): Ticket {
    const key = keyOf(facts)
    const own = this.of(facts.owner)
    const known = own.find((ticket) => keyOf(ticket.facts) === key)
    if (known !== undefined) return known
    if (own.length >= MAX_PER_OWNER) this.end(own[0] as Ticket, 'expired')
    const [oldest] = this.#bySecret.values()
    if (this.#bySecret.size >= MAX_TICKETS && oldest !== undefined) this.end(oldest.ticket, 'expired')
    const ticket = new Ticket(facts, this.#callbackUrl, this.#overview)
    const timer = setTimeout(() => this.end(ticket, 'expired'), SIGN_IN_MS)
    unref(timer)
    this.#bySecret.set(ticket.secret, { ticket, timer })
    return ticket
  }

  find(secret: string | null): Ticket | undefined {
    return secret === null ? undefined : this.#bySecret.get(secret)?.ticket
  }

  /** In the order in which they were asked for. */
  of(owner: string): Ticket[] {
    return [...this.#bySecret.values()].map(({ ticket }) => ticket).filter(({ facts }) => facts.owner === owner)
  }

  end(ticket: Ticket, outcome: SignInOutcome): void {
    clearTimeout(this.#bySecret.get(ticket.secret)?.timer)
    this.#bySecret.delete(ticket.secret)
    ticket.end(outcome)
  }

  forget(owner: string): void {
    for (const ticket of this.of(owner)) this.end(ticket, 'expired')
  }
}

function keyOf({ source, resource, scopes }: TicketFacts): string {
  return JSON.stringify([source, resource, [...scopes].sort()])
}

/** 256 bits, which nobody guesses. */
export function randomText(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

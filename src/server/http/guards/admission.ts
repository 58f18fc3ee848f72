// How much work may be under way at once, in all and for one principal: past that, requests are turned away with 503.
import { declaredLength } from '../../../http/body.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import type { AuthInfo } from '../../../types/protocol/auth.ts'
import type { HandlerSettings } from '../handler-options.ts'
import { principalKey } from './principal.ts'

/** Bodies up to this size are not counted in bytes, so that a flood of large ones does not shut out everybody else. */
const SMALL_BODY_BYTES = 64 * 1024

interface Load {
  requests: number
  bytes: number
  streams: number
  notices: number
}

type Limits = Pick<
  HandlerSettings,
  | 'maxBodyBytes'
  | 'maxConcurrentRequests'
  | 'maxConcurrentRequestsPerPrincipal'
  | 'maxBytesInFlight'
  | 'maxBytesInFlightPerPrincipal'
  | 'maxStreams'
  | 'maxStreamsPerPrincipal'
  | 'maxNotificationHandlers'
  | 'maxNotificationHandlersPerPrincipal'
>

/** Callers that nobody has verified are one crowd: only what holds for all holds for them. */
export class Admission {
  readonly #limits: Limits
  readonly #total: Load = createLoad()
  readonly #principals = new Map<string, Load>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** What a request with this body would weigh; a body of unknown length weighs as much as it may, until it was read. */
  weigh(exchange: HttpExchange): number {
    const { maxBodyBytes } = this.#limits
    return this.#weightOf(declaredLength(exchange) ?? maxBodyBytes)
  }

  /** The body of a request that was let in has been read. Returns the weight to `leave` with from now on. */
  reweigh(auth: AuthInfo | undefined, before: number, size: number): number {
    const bytes = this.#weightOf(size)
    if (bytes === before) return bytes
    this.#total.bytes += bytes - before
    if (auth !== undefined) this.#loadOf(auth).bytes += bytes - before
    return bytes
  }

  /** Lets a request in, to `leave` with the same weight; `false` where there is no room. */
  enter(auth: AuthInfo | undefined, bytes: number): boolean {
    const { maxConcurrentRequests, maxConcurrentRequestsPerPrincipal, maxBytesInFlight, maxBytesInFlightPerPrincipal } =
      this.#limits
    const total = this.#total
    if (total.requests >= maxConcurrentRequests || total.bytes + bytes > maxBytesInFlight) return false
    if (auth !== undefined) {
      const own = this.#loadOf(auth)
      if (own.requests >= maxConcurrentRequestsPerPrincipal) return false
      if (own.bytes + bytes > maxBytesInFlightPerPrincipal) return false
      own.requests += 1
      own.bytes += bytes
    }
    total.requests += 1
    total.bytes += bytes
    return true
  }

  leave(auth: AuthInfo | undefined, bytes: number): void {
    this.#total.requests -= 1
    this.#total.bytes -= bytes
    if (auth === undefined) return
    const own = this.#loadOf(auth)
    own.requests -= 1
    own.bytes -= bytes
    this.#forgetIdle(auth, own)
  }

  /** Lets a stream in, to `leaveStream`; `false` where there is no room. */
  enterStream(auth: AuthInfo | undefined): boolean {
    if (this.#total.streams >= this.#limits.maxStreams) return false
    if (auth !== undefined) {
      const own = this.#loadOf(auth)
      if (own.streams >= this.#limits.maxStreamsPerPrincipal) return false
      own.streams += 1
    }
    this.#total.streams += 1
    return true
  }

  leaveStream(auth: AuthInfo | undefined): void {
    this.#total.streams -= 1
    if (auth === undefined) return
    const own = this.#loadOf(auth)
    own.streams -= 1
    this.#forgetIdle(auth, own)
  }

  /** Lets the handler of a notification in, to `leaveNotice`; `false` where there is no room. */
  enterNotice(auth: AuthInfo | undefined): boolean {
    const { maxNotificationHandlers, maxNotificationHandlersPerPrincipal } = this.#limits
    if (this.#total.notices >= maxNotificationHandlers) return false
    if (auth !== undefined) {
      const own = this.#loadOf(auth)
      if (own.notices >= maxNotificationHandlersPerPrincipal) return false
      own.notices += 1
    }
    this.#total.notices += 1
    return true
  }

  leaveNotice(auth: AuthInfo | undefined): void {
    this.#total.notices -= 1
    if (auth === undefined) return
    const own = this.#loadOf(auth)
    own.notices -= 1
    this.#forgetIdle(auth, own)
  }

  /** For a look from outside: what is under way. */
  get load(): Readonly<Load> {
    return this.#total
  }

  #weightOf(size: number): number {
    // One that is too large is refused unread, and then with the reason that is its own.
    return size <= SMALL_BODY_BYTES || size > this.#limits.maxBodyBytes ? 0 : size
  }

  #loadOf(auth: AuthInfo): Load {
    const key = principalKey(auth)
    let load = this.#principals.get(key)
    if (load === undefined) {
      load = createLoad()
      this.#principals.set(key, load)
    }
    return load
  }

  #forgetIdle(auth: AuthInfo, { requests, streams, notices }: Load): void {
    if (requests === 0 && streams === 0 && notices === 0) this.#principals.delete(principalKey(auth))
  }
}

function createLoad(): Load {
  return { requests: 0, bytes: 0, streams: 0, notices: 0 }
}

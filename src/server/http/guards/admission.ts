// The limit on concurrent requests of an HTTP handler, in all and for one principal. Beyond it, requests get a 503.
import { declaredLength } from '../../../http/body.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { principalKey } from '../../../http/principal.ts'
import type { AuthInfo } from '../../../types/protocol/auth.ts'
import type { HandlerSettings } from '../handler-options.ts'

/** Bodies up to this size are not counted in bytes, so that a flood of large ones does not lock out all other callers. */
const SMALL_BODY_BYTES = 64 * 1024

interface Load {
  requests: number
  bytes: number
  streams: number
  notifications: number
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

/** Callers without a verified token cannot be distinguished: for them, only the limits in all hold. */
export class Admission {
  readonly #limits: Limits
  readonly #total: Load = createLoad()
  readonly #principals = new Map<string, Load>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** The bytes that a request counts; a body of unknown length counts as the largest allowed one until it was read. */
  bytesOf(exchange: HttpExchange): number {
    const { maxBodyBytes } = this.#limits
    return this.#countedBytes(declaredLength(exchange) ?? maxBodyBytes)
  }

  /** Corrects the bytes of a request once its body was read. Returns what to `leave` with. */
  correctBytes(auth: AuthInfo | undefined, before: number, size: number): number {
    const bytes = this.#countedBytes(size)
    if (bytes === before) return bytes
    this.#total.bytes += bytes - before
    if (auth !== undefined) this.#loadOf(auth).bytes += bytes - before
    return bytes
  }

  /** Counts a request until `leave`, with the same bytes; `false` where a limit is reached. */
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

  /** Counts a subscription stream until `leaveStream`; `false` where a limit is reached. */
  enterStream(auth: AuthInfo | undefined): boolean {
    return this.#enter('streams', auth, this.#limits.maxStreams, this.#limits.maxStreamsPerPrincipal)
  }

  leaveStream(auth: AuthInfo | undefined): void {
    this.#leave('streams', auth)
  }

  /** Counts the handler of a notification until `leaveNotification`; `false` where a limit is reached. */
  enterNotification(auth: AuthInfo | undefined): boolean {
    const { maxNotificationHandlers, maxNotificationHandlersPerPrincipal } = this.#limits
    return this.#enter('notifications', auth, maxNotificationHandlers, maxNotificationHandlersPerPrincipal)
  }

  leaveNotification(auth: AuthInfo | undefined): void {
    this.#leave('notifications', auth)
  }

  #enter(kind: 'streams' | 'notifications', auth: AuthInfo | undefined, max: number, maxPerPrincipal: number): boolean {
    if (this.#total[kind] >= max) return false
    if (auth !== undefined) {
      const own = this.#loadOf(auth)
      if (own[kind] >= maxPerPrincipal) return false
      own[kind] += 1
    }
    this.#total[kind] += 1
    return true
  }

  #leave(kind: 'streams' | 'notifications', auth: AuthInfo | undefined): void {
    this.#total[kind] -= 1
    if (auth === undefined) return
    const own = this.#loadOf(auth)
    own[kind] -= 1
    this.#forgetIdle(auth, own)
  }

  #countedBytes(size: number): number {
    // A body that is too large is rejected unread, with a reason of its own.
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

  #forgetIdle(auth: AuthInfo, { requests, streams, notifications }: Load): void {
    if (requests === 0 && streams === 0 && notifications === 0) this.#principals.delete(principalKey(auth))
  }
}

function createLoad(): Load {
  return { requests: 0, bytes: 0, streams: 0, notifications: 0 }
}

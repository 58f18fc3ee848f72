// Limits the bytes that a server keeps for its clients: for each of them, and for all together.
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { invalidParams } from '../../types/errors/invalid-params.ts'

const KIB = 1024

/** Of `initialize`: kept as long as the connection. */
export const MAX_CLIENT_BYTES = 64 * KIB
/** Of one `subscriptions/listen`, its filter and all: kept as long as the subscription. */
export const MAX_LISTEN_BYTES = 256 * KIB
/** Of all uris that one client of the legacy era watches. */
export const MAX_WATCHED_BYTES = 256 * KIB
/** How many uris one client may watch. */
export const MAX_WATCHED_URIS = 1024
/** Of one watched uri. */
export const MAX_URI_BYTES = 8 * KIB

/** Smaller amounts are not counted, so that large clients cannot exclude ordinary ones. The number of clients bounds them. */
const SMALL_BYTES = 4 * KIB
const MAX_BYTES_IN_ALL = 64 * KIB * KIB

const encoder = new TextEncoder()

/** What all clients of one server make it keep. */
export class KeptBytes {
  readonly #max: number
  #counted = 0

  constructor(max: number = MAX_BYTES_IN_ALL) {
    this.#max = max
  }

  /** One holder keeps `after` bytes instead of `before`. Throws `MCPError` -32603 above the limit. Less always fits. */
  change(before: number, after: number): void {
    const change = countedOf(after) - countedOf(before)
    if (change > 0 && this.#counted + change > this.#max) throw noRoom(this.#max)
    this.#counted += change
  }
}

function countedOf(bytes: number): number {
  return bytes > SMALL_BYTES ? bytes : 0
}

function noRoom(max: number): MCPError {
  const message = `The server keeps as much for its clients as it may (${max} bytes); ask for less, or try again later`
  return new MCPError(ErrorCode.InternalError, message, { limit: 'bytes kept for clients', max })
}

/** What is more than the server keeps for a client: `MCPError` -32602. */
export function tooLarge(method: string, limit: string, max: number): MCPError {
  return invalidParams(method, `there is too much to keep (${limit}: at most ${max}); send less`, { limit, max })
}

/** The bytes of a uri. Throws `MCPError` -32602 where it is too long to be kept. */
export function uriBytes(method: string, uri: string): number {
  // A uri that is too long is not encoded.
  const bytes = uri.length > MAX_URI_BYTES ? uri.length : encoder.encode(uri).length
  if (bytes > MAX_URI_BYTES) throw tooLarge(method, 'bytes of a uri', MAX_URI_BYTES)
  return bytes
}

/** Throws `MCPError` where one client would watch more than the server keeps for it. */
export function checkWatched(uris: readonly string[]): void {
  const method = 'resources/subscribe'
  if (uris.length > MAX_WATCHED_URIS) {
    const message = 'Subscription limit reached; unsubscribe from another resource first'
    throw new MCPError(ErrorCode.InternalError, message, { limit: 'watched resources', max: MAX_WATCHED_URIS })
  }
  const bytes = uris.reduce((sum, uri) => sum + uriBytes(method, uri), 0)
  if (bytes > MAX_WATCHED_BYTES) throw tooLarge(method, 'bytes of watched uris', MAX_WATCHED_BYTES)
}

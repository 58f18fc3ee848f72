// A stream that broke off while its connection lives on: what it carried may be asked for again, where that does no harm.
import { brand } from '../types/brand.ts'
import { MCPError } from '../types/errors.ts'
import { TransportError } from '../types/failures.ts'

/** The response to one request ended without the answer; other requests are not concerned. */
export class StreamLost extends TransportError {
  static {
    brand(this, 'StreamLost')
  }
}

/** Whether a call failed for that reason and no other. */
export function isStreamLost(error: unknown): boolean {
  return error instanceof MCPError && error.cause instanceof StreamLost
}

/** Whether no server could be reached at all. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TransportError && error.status === undefined
}

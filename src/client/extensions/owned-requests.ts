// Requests that an extension adds to a client: in which revisions, and what holds for them instead of the method table.
import { typeError } from '../../primitives/help.ts'
import { assertDuration } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../types/protocol/versions.ts'
import { requestRow } from '../../wire/method-rows.ts'

/**
 * A request that an extension owns, which `session.sendRequest()` sends. Its method may be one of the specification in other
 * revisions than its own.
 */
export interface ClientExtensionRequest {
  /**
   * The revisions that have it (default: all). None of them may have the method in its specification. In the others it is not sent:
   * the request rejects with -32601.
   */
  readonly protocolVersions?: readonly ProtocolVersion[]
  /** The member of `params` that HTTP repeats in the header `Mcp-Name`. Its value must be a string. */
  readonly nameParam?: string
  /** Whether a result has the shape of the extension. One that has not rejects the request with `InvalidResultError`. */
  isValid?(result: JSONObject): boolean
  /** Maximum time without progress, where neither the request nor the client names one (default: 60 s). */
  readonly timeoutMs?: number
  /** Sent again when the connection fails, because it changes nothing on the server (default: false). */
  readonly isRepeatable?: boolean
}

/** By method: the requests that an extension adds to a client. */
export type ClientExtensionRequests = Readonly<Record<string, ClientExtensionRequest>>

/** Throws `TypeError` or `RangeError` for a request that cannot work, or that the specification has in one of its revisions. */
export function assertExtensionRequest(method: string, request: ClientExtensionRequest): void {
  if (method === '') throw typeError('bad-extension', 'A request of an extension has no method. Set it to a string.')
  const { protocolVersions = PROTOCOL_VERSIONS, timeoutMs, nameParam, isValid } = request
  const isKnown = Array.isArray(protocolVersions) && protocolVersions.every((each) => PROTOCOL_VERSIONS.includes(each))
  if (!isKnown || protocolVersions.length === 0) {
    throw typeError(
      'bad-extension',
      `The protocolVersions of '${method}' are not revisions. Name at least one, or leave it out.`,
    )
  }
  const taken = protocolVersions.find((version) => requestRow(method, version, 'client') !== undefined)
  if (taken !== undefined) {
    throw typeError(
      'bad-extension',
      `'${method}' belongs to the specification at revision ${taken}. Leave that revision out of its protocolVersions.`,
    )
  }
  if (timeoutMs !== undefined) assertDuration(`timeoutMs of '${method}'`, timeoutMs)
  if (nameParam !== undefined && typeof nameParam !== 'string')
    throw typeError('bad-extension', `The nameParam of '${method}' is not a string.`)
  if (isValid !== undefined && typeof isValid !== 'function')
    throw typeError('bad-extension', `isValid of '${method}' is not a function.`)
}

/** The requests of all extensions of a session. */
export class OwnedRequests {
  readonly #requests: ReadonlyMap<string, ClientExtensionRequest>

  constructor(requests: ClientExtensionRequests = {}) {
    this.#requests = new Map(Object.entries(requests))
  }

  /** `undefined` where no extension has the method at this revision. */
  find(method: string, version: ProtocolVersion): ClientExtensionRequest | undefined {
    const request = this.#requests.get(method)
    return request?.protocolVersions?.includes(version) === false ? undefined : request
  }

  /** Whether an extension has the method, at any revision. */
  has(method: string): boolean {
    return this.#requests.has(method)
  }
}

// Errors that have a JSON-RPC code. Failures without one are in failures.ts.

import type { ElicitRequestURLParams } from '../features/elicitation.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { ErrorData } from '../protocol/jsonrpc.ts'
import { brand } from './brand.ts'
import { ErrorCode } from './error-codes.ts'

export interface MCPErrorOptions {
  cause?: unknown
  /** Made on this side of the connection, not received from the peer. */
  local?: boolean
}

/** An error with a JSON-RPC code: the peer's answer, or a failure of ours that has `local: true`. */
export class MCPError extends Error {
  readonly code: number
  readonly data: unknown
  /** True when no peer said this: a timeout, a closed connection, a call refused before it was sent. */
  readonly local: boolean

  static {
    brand(this, 'MCPError')
  }

  constructor(code: number, message: string, data?: unknown, options: MCPErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.data = data
    this.local = options.local ?? false
  }

  /** The error as the wire spells it; `data` only where there is some. */
  toErrorData(): ErrorData {
    const { code, message, data } = this
    return data === undefined ? { code, message } : { code, message, data }
  }

  /** The peer's error object as an exception: the typed class where the code has one and its data fits. */
  static from(error: ErrorData): MCPError {
    const typed = TYPED.get(error.code)?.(error)
    return typed ?? untyped(error)
  }
}

function untyped({ code, message, data }: ErrorData): MCPError {
  return new MCPError(code, message, data)
}

/** The request cannot go on before the user has visited one or more URLs (2025-11-25). */
export class UrlElicitationRequiredError extends MCPError {
  readonly elicitations: readonly ElicitRequestURLParams[]

  static {
    brand(this, 'UrlElicitationRequiredError')
  }

  /** `data` is for what a peer sent beyond the elicitations. */
  constructor(elicitations: readonly ElicitRequestURLParams[], message?: string, data: object = { elicitations }) {
    const text = message ?? `URL elicitation${elicitations.length === 1 ? '' : 's'} required`
    super(ErrorCode.UrlElicitationRequired, text, data)
    this.elicitations = elicitations
  }

  /** Rebuilds the error from what a peer sent; a `TypeError` when that is some other error. */
  static override from(error: ErrorData): UrlElicitationRequiredError {
    const typed = readUrlElicitation(error)
    if (typed === undefined) throw new TypeError(`Error ${error.code} is not a URL elicitation error`)
    return typed
  }
}

/** The server does not implement the revision that the request named; `supported` lists those it does. */
export class UnsupportedProtocolVersionError extends MCPError {
  readonly supported: readonly string[]
  /** Empty where the server does not say. */
  readonly requested: string

  static {
    brand(this, 'UnsupportedProtocolVersionError')
  }

  constructor(
    supported: readonly string[],
    requested: string,
    message = 'Unsupported protocol version',
    data: object = { supported, requested },
  ) {
    super(ErrorCode.UnsupportedProtocolVersion, message, data)
    this.supported = supported
    this.requested = requested
  }
}

/**
 * The client cannot be asked: it did not declare a capability, or its revision does not have what the handler asks. Since
 * 2026-07-28 the caller gets this error (-32021) where the handler does not catch it. On a legacy connection it is `local`, and a
 * failure of the handler.
 */
export class MissingClientCapabilityError extends MCPError {
  readonly requiredCapabilities: ClientCapabilities

  static {
    brand(this, 'MissingClientCapabilityError')
  }

  constructor(
    requiredCapabilities: ClientCapabilities,
    message?: string,
    data: object = { requiredCapabilities },
    options?: MCPErrorOptions,
  ) {
    const names = Object.keys(requiredCapabilities).join(', ')
    super(
      ErrorCode.MissingRequiredClientCapability,
      message ?? `The client did not declare a capability that this request needs: ${names}`,
      data,
      options,
    )
    this.requiredCapabilities = requiredCapabilities
  }
}

/** There is no way back to the client here: this connection carries no requests from the server. */
export class NoBackChannelError extends MCPError {
  readonly method: string

  static {
    brand(this, 'NoBackChannelError')
  }

  constructor(method: string) {
    super(
      ErrorCode.InvalidRequest,
      `Cannot send '${method}': this connection has no back-channel for requests from the server`,
      undefined,
      { local: true },
    )
    this.method = method
  }
}

const TYPED = new Map<number, (error: ErrorData) => MCPError | undefined>([
  [ErrorCode.UrlElicitationRequired, readUrlElicitation],
  [ErrorCode.UnsupportedProtocolVersion, readUnsupportedVersion],
  [ErrorCode.MissingRequiredClientCapability, readMissingCapability],
])

function readUrlElicitation({ code, message, data }: ErrorData): UrlElicitationRequiredError | undefined {
  if (code !== ErrorCode.UrlElicitationRequired || !isObject(data) || !Array.isArray(data['elicitations'])) return
  const elicitations: unknown[] = data['elicitations']
  return elicitations.every(isUrlElicitation) ? new UrlElicitationRequiredError(elicitations, message, data) : undefined
}

/** What the server supports is what counts: what was requested the client knows itself, and some servers leave it out. */
function readUnsupportedVersion({ message, data }: ErrorData): UnsupportedProtocolVersionError | undefined {
  if (!isObject(data) || !Array.isArray(data['supported'])) return
  const supported: unknown[] = data['supported']
  if (!supported.every((version) => typeof version === 'string')) return
  const requested = typeof data['requested'] === 'string' ? data['requested'] : ''
  return new UnsupportedProtocolVersionError(supported, requested, message, data)
}

function readMissingCapability({ message, data }: ErrorData): MissingClientCapabilityError | undefined {
  if (!isObject(data) || !isObject(data['requiredCapabilities'])) return
  return new MissingClientCapabilityError(data['requiredCapabilities'], message, data)
}

function isUrlElicitation(value: unknown): value is ElicitRequestURLParams {
  if (!isObject(value) || value['mode'] !== 'url') return false
  return typeof value['url'] === 'string' && typeof value['message'] === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Errors that have a JSON-RPC code. Failures without one are in failures.ts.
import { type ErrorSlug, helpFor, helpOf, typeError, withHelp } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ElicitRequestURLParams } from '../features/elicitation.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { ErrorData } from '../protocol/jsonrpc.ts'
import { ErrorCode } from './error-codes.ts'

/**
 * Gives a class its `name` and an `instanceof` that goes by a registered symbol instead of by identity.
 * Classes that a user derives keep the ordinary `instanceof`. With a `slug`, errors of the class have that page as their `help`.
 */
export function brand(kind: { prototype: object }, name: string, slug?: ErrorSlug): void {
  const mark = Symbol.for(`mcpwire.${name}`)
  Object.defineProperty(kind.prototype, mark, { value: true })
  Object.defineProperty(kind.prototype, 'name', { value: name, writable: true, configurable: true })
  if (slug !== undefined) withHelp(slug, kind.prototype)
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== kind) return Function.prototype[Symbol.hasInstance].call(this as () => void, value)
      return hasMark(value, mark)
    },
  })
}

function hasMark(value: unknown, mark: symbol): boolean {
  if (typeof value !== 'object' || value === null) return false
  try {
    return mark in value
  } catch {
    // A revoked proxy answers no question at all, and handlers may throw anything.
    return false
  }
}

/** The last argument of `new MCPError()`. */
export interface MCPErrorOptions {
  /** The error that led to this one. It is never sent to the peer. */
  cause?: unknown
  /** Made on this side of the connection, not received from the peer. */
  local?: boolean
}

/**
 * An error with a JSON-RPC code: the peer's answer, or a failure of ours that has `local: true`.
 *
 * @example
 * ```ts
 * import { MCPError } from 'mcpwire'
 * const failed = await client.callTool('add').catch((error: unknown) => error)
 * if (failed instanceof MCPError) console.error(failed.code, failed.message, failed.help)
 * ```
 */
export class MCPError extends Error {
  /** The JSON-RPC code, one of `ErrorCode` or a code of the peer's own. */
  readonly code: number
  /** Details that the peer sent with the error. `undefined` if there are none. */
  readonly data: unknown
  /** True if the error did not come from the peer: a timeout, a closed connection, a call rejected before it was sent. */
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

  /** The page about this error in the package; `undefined` where there is none. */
  get help(): string | undefined {
    const slug = PAGES.get(this.code) ?? pageOfMessage(this.message)
    const isOurs = slug !== undefined && (this.local || !NEVER_SENT.has(this.code))
    const own = isOurs ? helpFor(slug) : undefined
    // Of our own failures the cause says more: which process ended, and how.
    return this.local ? (helpOf(this.cause) ?? own) : (own ?? helpOf(this.cause))
  }

  /** The error as the wire spells it; `data` only where there is some. */
  toErrorData(): ErrorData {
    const { code, message, data } = this
    const further = (this as { [FURTHER]?: object })[FURTHER]
    return data === undefined ? { ...further, code, message } : { ...further, code, message, data }
  }

  /** The peer's error object as an exception: the typed class where the code has one and its data fits. */
  static from(error: ErrorData): MCPError {
    const typed = TYPED.get(error.code)?.(error)
    return keepFurther(typed ?? untyped(error), error)
  }
}

/** Members of an error object beyond those that JSON-RPC defines. Registered, so that another copy of this package keeps them too. */
const FURTHER = Symbol.for('mcpwire.MCPError.further')

/** What a peer wrote beside code, message and data stays with the error, for whoever passes it on. */
function keepFurther(failure: MCPError, error: ErrorData): MCPError {
  const { code: _code, message: _message, data: _data, ...further } = error
  for (const _name in further) return Object.defineProperty(failure, FURTHER, { value: further })
  return failure
}

function untyped({ code, message, data }: ErrorData): MCPError {
  return new MCPError(code, message, data)
}

/**
 * The request cannot go on before the user has visited one or more URLs (2025-11-25).
 *
 * @example
 * ```ts
 * import { UrlElicitationRequiredError } from 'mcpwire'
 * const failed = await client.callTool('pay').catch((error: unknown) => error)
 * if (failed instanceof UrlElicitationRequiredError) {
 *   for (const { message, url } of failed.elicitations) console.log(message, url)
 * }
 * ```
 */
export class UrlElicitationRequiredError extends MCPError {
  /** The URLs to open, each with the message to show to the user. */
  readonly elicitations: readonly ElicitRequestURLParams[]

  static {
    brand(this, 'UrlElicitationRequiredError', 'url-elicitation-required')
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
    if (typed === undefined) throw typeError('wrong-argument', `Error ${error.code} is not a URL elicitation error`)
    return typed
  }
}

/**
 * The server does not implement the revision that the request named; `supported` lists those it does.
 *
 * @example
 * ```ts
 * import { Client, UnsupportedProtocolVersionError } from 'mcpwire'
 * const failed = await Client.connect('https://example.com/mcp', { mode: 'modern' }).catch((error: Error) => error.cause)
 * if (failed instanceof UnsupportedProtocolVersionError) console.error(failed.supported)
 * ```
 */
export class UnsupportedProtocolVersionError extends MCPError {
  /** The revisions that the server supports. */
  readonly supported: readonly string[]
  /** Empty where the server does not say. */
  readonly requested: string

  static {
    brand(this, 'UnsupportedProtocolVersionError', 'version-unsupported')
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
 *
 * @example
 * ```ts
 * import { MissingClientCapabilityError } from 'mcpwire'
 * server.tool('confirm', async (_args, ctx) => {
 *   if (ctx.clientCapabilities.elicitation) return (await ctx.elicitUrl('Sign', 'https://example.com')).action
 *   throw new MissingClientCapabilityError({ elicitation: {} })
 * })
 * ```
 */
export class MissingClientCapabilityError extends MCPError {
  /** The capabilities that the client would have to declare. */
  readonly requiredCapabilities: ClientCapabilities

  static {
    brand(this, 'MissingClientCapabilityError', 'missing-client-capability')
  }

  constructor(
    requiredCapabilities: ClientCapabilities,
    message?: string,
    data: object = { requiredCapabilities },
    options?: MCPErrorOptions,
  ) {
    const { extensions = {}, ...capabilities } = requiredCapabilities
    const names = [...Object.keys(capabilities), ...Object.keys(extensions)].join(', ')
    super(
      ErrorCode.MissingRequiredClientCapability,
      message ?? `The client did not declare a capability that this request needs: ${names}`,
      data,
      options,
    )
    this.requiredCapabilities = requiredCapabilities
  }
}

/**
 * There is no way back to the client here: this connection carries no requests from the server.
 *
 * @example
 * ```ts
 * import { NoBackChannelError } from 'mcpwire'
 * server.tool('where', async (_args, ctx) => {
 *   const roots = await ctx.session.listRoots().catch((error: unknown) => error)
 *   return roots instanceof NoBackChannelError ? 'unknown' : roots
 * })
 * ```
 */
export class NoBackChannelError extends MCPError {
  /** The request that could not be sent, such as `elicitation/create`. */
  readonly method: string

  static {
    brand(this, 'NoBackChannelError', 'no-back-channel')
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

const PAGES = new Map<number, ErrorSlug>([
  [ErrorCode.RequestTimeout, 'timeout'],
  [ErrorCode.ConnectionClosed, 'connection-lost'],
  [ErrorCode.MethodNotFound, 'method-not-found'],
  [ErrorCode.ResourceNotFound, 'resource-not-found'],
  [ErrorCode.HeaderMismatch, 'header-mismatch'],
])

/** How messages of servers begin that share their code with many others. */
const MESSAGES: readonly (readonly [beginning: string, ErrorSlug])[] = [
  ['Unknown tool', 'unknown-tool'],
  ['Unknown prompt', 'unknown-prompt'],
  ['Resource not found', 'resource-not-found'],
  ['Invalid or expired requestState', 'state-refused'],
  ['Invalid params', 'wrong-argument'],
  ['The caller does not have the required scopes', 'scopes-missing'],
  ['The call failed because its handler did not repeat', 'question-changed'],
]

function pageOfMessage(message: string): ErrorSlug | undefined {
  return MESSAGES.find(([beginning]) => message.startsWith(beginning))?.[1]
}

/** These codes mean something else where a peer sends them. */
const NEVER_SENT: ReadonlySet<number> = new Set([ErrorCode.RequestTimeout, ErrorCode.ConnectionClosed])

const TYPED = new Map<number, (error: ErrorData) => MCPError | undefined>([
  [ErrorCode.UrlElicitationRequired, readUrlElicitation],
  [ErrorCode.UnsupportedProtocolVersion, readUnsupportedVersion],
  [ErrorCode.MissingRequiredClientCapability, readMissingCapability],
])

function readUrlElicitation({ code, message, data }: ErrorData): UrlElicitationRequiredError | undefined {
  if (code !== ErrorCode.UrlElicitationRequired || !isPlainObject(data) || !Array.isArray(data['elicitations'])) return
  const elicitations: unknown[] = data['elicitations']
  return elicitations.every(isUrlElicitation) ? new UrlElicitationRequiredError(elicitations, message, data) : undefined
}

/** What the server supports is what counts: what was requested the client knows itself, and some servers leave it out. */
function readUnsupportedVersion({ message, data }: ErrorData): UnsupportedProtocolVersionError | undefined {
  if (!isPlainObject(data) || !Array.isArray(data['supported'])) return
  const supported: unknown[] = data['supported']
  if (!supported.every((version) => typeof version === 'string')) return
  const requested = typeof data['requested'] === 'string' ? data['requested'] : ''
  return new UnsupportedProtocolVersionError(supported, requested, message, data)
}

function readMissingCapability({ message, data }: ErrorData): MissingClientCapabilityError | undefined {
  if (!isPlainObject(data) || !isPlainObject(data['requiredCapabilities'])) return
  return new MissingClientCapabilityError(data['requiredCapabilities'], message, data)
}

function isUrlElicitation(value: unknown): value is ElicitRequestURLParams {
  if (!isPlainObject(value) || value['mode'] !== 'url') return false
  return typeof value['url'] === 'string' && typeof value['message'] === 'string'
}

/** Registered, so that a client of another copy of this package marks its errors for the server of this one. */
const RECEIVED = Symbol.for('mcpwire.MCPError.received')

/** A peer's error object as an exception that knows where it came from. */
export function receivedError(...[data]: Parameters<typeof MCPError.from>): MCPError {
  return Object.defineProperty(MCPError.from(data), RECEIVED, { value: true })
}

/**
 * Whether the author of a handler made this error for whoever called it. A timeout, a closed connection and the answer of another
 * peer came about in a call that the handler made, and are failures of the handler; to pass one on, throw
 * `MCPError.from(error.toErrorData())`.
 */
export function isForCaller(error: unknown): error is MCPError {
  return error instanceof MCPError && !error.local && !(RECEIVED in error)
}

/** Errors that a client answered a question with. */
const answers = new WeakSet<object>()

/** Remembers that this came as the answer to a question of ours, and throws it on. */
export function throwAnswer(error: unknown): never {
  if (error instanceof MCPError && RECEIVED in error) answers.add(error)
  throw error
}

/** Whether the client that is being served answered a question with this error. */
export function isAnswer(error: unknown): boolean {
  return error instanceof MCPError && answers.has(error)
}

/**
 * Whether the handler failed because the client cannot be asked. That is nobody's mistake and no secret, so that the caller may read
 * why.
 */
export function isUnaskable(error: unknown): error is MissingClientCapabilityError | NoBackChannelError {
  if (error instanceof NoBackChannelError) return true
  return error instanceof MissingClientCapabilityError && error.local
}

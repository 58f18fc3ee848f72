// Failures that have no JSON-RPC code: what the way, the peer's form, a limit or a tool can do to a caller.
import { brand } from './errors.ts'

/**
 * The peer answered with something that the negotiated revision does not allow. Holds the place, never the content.
 *
 * @example
 * ```ts
 * import { InvalidResultError } from 'mcpwire'
 * const failed = await client.callTool('add').catch((error: unknown) => error)
 * if (failed instanceof InvalidResultError) console.error(`The server's result is wrong at ${failed.path}`)
 * ```
 */
export class InvalidResultError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** Where the answer does not fit, as in `content[0].text`; empty for the answer as a whole. */
  readonly path: string

  static {
    brand(this, 'InvalidResultError', 'invalid-result')
  }

  constructor(message: string, path = '', options?: { cause?: unknown }) {
    super(message, options)
    this.path = path
  }
}

/** The last argument of `new TransportError()`. */
export interface TransportErrorOptions {
  /** The error that led to this one. */
  cause?: unknown
  /** The HTTP status, if the server answered with one. */
  status?: number
  /** Milliseconds to wait before the next attempt, from the `Retry-After` header. */
  retryAfterMs?: number
  /** For a command: the exit code of the process. */
  exitCode?: number
  /** For a command: the signal that ended the process. */
  signal?: string
  /** For a command: the last lines of its standard error. */
  stderr?: readonly string[]
}

/**
 * The way to the peer is broken: an HTTP status, a dead child process, a refused socket.
 *
 * @example
 * ```ts
 * import { TransportError } from 'mcpwire'
 * const failed = await client.callTool('add').catch((error: unknown) => error)
 * if (failed instanceof TransportError) console.error(failed.status, failed.exitCode, failed.stderr)
 * ```
 */
export class TransportError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The HTTP status, where there was one. */
  readonly status: number | undefined
  /** How long the server asked to wait before the next request, by the header `Retry-After`; at most a minute. */
  readonly retryAfterMs: number | undefined
  /** How a child process ended. */
  readonly exitCode: number | undefined
  /** For a command: the signal that ended the process. */
  readonly signal: string | undefined
  /** The last lines that a child process wrote to its standard error. */
  readonly stderr: readonly string[]

  static {
    brand(this, 'TransportError', 'connection-lost')
  }

  constructor(message: string, options: TransportErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this.exitCode = options.exitCode
    this.signal = options.signal
    this.stderr = options.stderr ?? []
  }
}

/**
 * A configured limit was reached. Names the limit and its value, never what exceeded it.
 *
 * @example
 * ```ts
 * import { LimitError } from 'mcpwire'
 * const failed = await client.callTool('add').catch((error: unknown) => error)
 * if (failed instanceof LimitError) console.error(`${failed.limit} is ${failed.max}`)
 * ```
 */
export class LimitError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The name of the limit, such as `maxBodyBytes`. */
  readonly limit: string
  /** The value of the limit, in the unit that its name has. */
  readonly max: number

  static {
    brand(this, 'LimitError', 'limit-reached')
  }

  constructor(limit: string, max: number, message?: string) {
    super(message ?? `Limit reached: ${limit} is at most ${max}`)
    this.limit = limit
    this.max = max
  }
}

/**
 * Thrown by a tool on purpose: the model reads the message as a result with `isError`.
 *
 * @example
 * ```ts
 * import { ToolError } from 'mcpwire'
 * server.tool('book', () => {
 *   throw new ToolError('The flight is full. Try another date.')
 * })
 * ```
 */
export class ToolError extends Error {
  static {
    brand(this, 'ToolError')
  }
}

/**
 * A result that belongs to an extension reached a call that did not say it can take one.
 *
 * @example
 * ```ts
 * import { UnexpectedClaimedResult } from 'mcpwire'
 * const failed = await client.callTool('add').catch((error: unknown) => error)
 * if (failed instanceof UnexpectedClaimedResult) console.log(failed.resultType, failed.result)
 * ```
 */
export class UnexpectedClaimedResult extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The `resultType` of the result, such as `task`. */
  readonly resultType: string
  /** The result itself, for code that can finish it. */
  readonly result: unknown

  static {
    brand(this, 'UnexpectedClaimedResult', 'unexpected-result-type')
  }

  constructor(resultType: string, result: unknown) {
    super(`The server answered with a '${resultType}' result; pass allowClaimed to receive it`)
    this.resultType = resultType
    this.result = result
  }
}

/**
 * The server asks for input in more rounds than `inputRequiredMaxRounds` allows.
 *
 * @example
 * ```ts
 * import { InputRequiredRoundsExceededError } from 'mcpwire'
 * const failed = await client.callTool('order').catch((error: unknown) => error)
 * if (failed instanceof InputRequiredRoundsExceededError) console.error(`Still asks after ${failed.rounds} rounds`)
 * ```
 */
export class InputRequiredRoundsExceededError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** How many rounds were answered before the client stopped. */
  readonly rounds: number

  static {
    brand(this, 'InputRequiredRoundsExceededError', 'rounds-exceeded')
  }

  constructor(rounds: number) {
    super(`The server still asks for input after ${rounds} rounds; raise inputRequiredMaxRounds if that is expected`)
    this.rounds = rounds
  }
}

/**
 * `listen` on a legacy connection whose server declares neither list changes nor subscriptions.
 *
 * @example
 * ```ts
 * import { ListenNotSupportedError } from 'mcpwire'
 * const opened = await client.listen({ toolsListChanged: true }).catch((error: unknown) => error)
 * if (opened instanceof ListenNotSupportedError) console.log('List the tools again from time to time.')
 * ```
 */
export class ListenNotSupportedError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The revision of the connection. */
  readonly protocolVersion: string

  static {
    brand(this, 'ListenNotSupportedError', 'listen-not-supported')
  }

  constructor(protocolVersion: string) {
    super(
      `The server tells of no changes: at protocol revision ${protocolVersion} it declares neither listChanged nor ` +
        'subscribe. Ask it again from time to time instead',
    )
    this.protocolVersion = protocolVersion
  }
}

/**
 * A subscription ended unexpectedly. Changes may have been missed.
 *
 * @example
 * ```ts
 * import { SubscriptionLost } from 'mcpwire'
 * try {
 *   for await (const event of await client.listen({ toolsListChanged: true })) console.log(event.type)
 * } catch (error) {
 *   if (error instanceof SubscriptionLost) console.error('Listen again, and list the tools again.')
 * }
 * ```
 */
export class SubscriptionLost extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  static {
    brand(this, 'SubscriptionLost', 'subscription-lost')
  }
}

/** Where in an authorization something went wrong. */
export type OAuthStep =
  | 'challenge'
  | 'discovery'
  | 'registration'
  | 'authorization'
  | 'callback'
  | 'token'
  | 'refresh'
  | 'store'
  | 'request'

/** The last argument of `new OAuthError()`. */
export interface OAuthErrorOptions {
  /** The error that led to this one. */
  cause?: unknown
  /** The step of the login that failed. */
  step?: OAuthStep
  /** The parameters of the `WWW-Authenticate` header, if the server sent one. */
  challenge?: Readonly<Record<string, string>>
}

/**
 * An authorization step failed; `code` is the error code of the RFC, as in `invalid_grant`, or one of ours where the RFCs
 * have none, as in `issuer_mismatch`. Never holds a secret.
 *
 * @example
 * ```ts
 * import { Client, OAuthError } from 'mcpwire'
 * const failed = await Client.connect('https://example.com/mcp').catch((error: unknown) => error)
 * if (failed instanceof OAuthError) console.error(`${failed.step}: ${failed.code}`)
 * ```
 */
export class OAuthError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The error code, such as `invalid_grant`. */
  readonly code: string
  /** The step that failed, where the error comes from a client. */
  readonly step: OAuthStep | undefined
  /** What the server's `WWW-Authenticate` asked for, where that is why. */
  readonly challenge: Readonly<Record<string, string>> | undefined

  static {
    brand(this, 'OAuthError', 'login-failed')
  }

  constructor(code: string, message: string, options: OAuthErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.step = options.step
    this.challenge = options.challenge
  }
}

/**
 * How far a connection came. `spawn`: the command could not be started. `connect`: the server could not be reached, or its
 * address is none of an MCP server. `negotiate`: it is there, but no protocol revision was agreed on. `authorize`: it wants to
 * know who is calling.
 */
export type ConnectPhase = 'spawn' | 'connect' | 'negotiate' | 'authorize'

/** The last argument of `new ConnectError()`. */
export interface ConnectErrorOptions extends TransportErrorOptions {
  /** The server that could not be reached, with secrets masked. */
  target: string
  /** How far the connection came. */
  phase: ConnectPhase
}

/**
 * No connection came about. For a command the message ends with the last lines of its standard error.
 *
 * @example
 * ```ts
 * import { Client, ConnectError } from 'mcpwire'
 * const failed = await Client.connect({ command: 'my-server' }).catch((error: unknown) => error)
 * if (failed instanceof ConnectError) console.error(failed.phase, failed.stderr)
 * ```
 */
export class ConnectError extends TransportError {
  /** What was to be connected to, without anything that may be a secret. */
  readonly target: string
  /** How far the connection came. */
  readonly phase: ConnectPhase

  static {
    brand(this, 'ConnectError')
  }

  constructor(message: string, options: ConnectErrorOptions) {
    super(message, options)
    this.target = options.target
    this.phase = options.phase
  }
}

// Whose error is it? What a peer answered to a call of ours says nothing to whoever called us.
import { MCPError, MissingClientCapabilityError, NoBackChannelError } from './errors.ts'

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

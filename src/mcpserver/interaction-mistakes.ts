// What the author of a handler is told who asks in a way that cannot be gone on with.
import type { ServerRequestContext } from '../server/context.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'

/** The client can do nothing about it and gets constant words; the author learns what to do. */
export function reportNotRepeated({ server, method }: ServerRequestContext): MCPError {
  const error = new TypeError(
    `The handler of '${method}' asked something new before it asked again what was answered in an earlier round. ` +
      'In each round a handler runs from the start and must ask the same questions in the same words: ' +
      'take what may change (time, random values, the outside world) from step()',
  )
  server.faults.report({ kind: 'handler-failed', message: error.message, method, error })
  const message = 'The call cannot go on: its handler did not repeat its earlier questions'
  return new MCPError(ErrorCode.InternalError, message, undefined, { cause: error })
}

/** A question or step that nobody can answer or remember any more. */
export function alreadyEnded({ method }: ServerRequestContext): Error {
  return new Error(
    `Nothing can be asked or done any more: '${method}' has its answer already. ` +
      'Wait for every question and step before the handler returns',
  )
}

export function twoStates(): TypeError {
  return new TypeError(
    'A handler that has asked or done a step returned an InputRequiredResult with a requestState of its own; ' +
      'leave requestState out, or do without asking and steps',
  )
}

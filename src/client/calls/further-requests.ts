// What a call passes on to the requests after its first one: its options, and its time in all.
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ClientToolCallOptions } from '../client-options.ts'

type FurtherOptions = Omit<ClientToolCallOptions, 'requestId' | 'inputResponses' | 'requestState' | 'maxTotalMs'>

/** The options without the id, the input and the resumed stream of the first request, and without its time. */
export function withoutFirstRequest(options: ClientToolCallOptions): FurtherOptions {
  const {
    requestId: _id,
    inputResponses: _responses,
    requestState: _state,
    maxTotalMs: _total,
    hints,
    ...rest
  } = options
  if (hints === undefined) return rest
  const { resumptionToken: _token, ...otherHints } = hints
  return { ...rest, hints: otherHints }
}

/** The error of a call that has used up its time in all. */
export function notInTime(method: string, ms: number | undefined): MCPError {
  const message = `Request '${method}' was not answered within ${ms} ms in all`
  return new MCPError(ErrorCode.RequestTimeout, message, undefined, { local: true })
}

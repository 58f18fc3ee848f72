// The error that a client answered a question with, as a value that can be kept with the answers of a call.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { type MCPError, receivedError, throwAnswer } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ErrorData } from '../../types/protocol/jsonrpc.ts'

const REFUSED = 'mcpwire/refused'

export function toRefusedAnswer(error: MCPError): JSONObject {
  return { [REFUSED]: error.toErrorData() }
}

/** Throws the error, as it would come from a client that is asked during the call. Any other answer passes. */
export function throwIfRefused(answer: unknown): void {
  const error = ownMember(answer, REFUSED)
  if (isErrorData(error)) throwAnswer(receivedError(error))
}

/** A client can write such an answer itself. */
function isErrorData(value: unknown): value is ErrorData {
  return isPlainObject(value) && Number.isSafeInteger(value['code']) && typeof value['message'] === 'string'
}

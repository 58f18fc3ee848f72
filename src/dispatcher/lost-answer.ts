// Which call an answer belonged to that was too long to be kept, told from its two ends.
import type { OversizeLine } from '../primitives/lines.ts'
import type { RequestId } from '../types/jsonrpc.ts'

const decoder = new TextDecoder()

// An id as JSON writes it: a short string without escapes, or an integer.
const AT_HEAD =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("[^"\\]{0,128}"|-?\d{1,16})\s*,\s*"(result|error)"/
const AT_TAIL = /,\s*"id"\s*:\s*("[^"\\]{0,128}"|-?\d{1,16})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/
const RESULT_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:/

/** The id of the call, where either end shows that the line was an answer and to which. */
export function findLostAnswer({ head, tail }: Pick<OversizeLine, 'head' | 'tail'>): RequestId | undefined {
  const start = decoder.decode(head)
  const literal =
    AT_HEAD.exec(start)?.[1] ?? (RESULT_FIRST.test(start) ? AT_TAIL.exec(decoder.decode(tail))?.[1] : undefined)
  return literal === undefined ? undefined : (JSON.parse(literal) as RequestId)
}

// The `requestState` of a source that stands elsewhere: whoever made it has sealed it. It passes a server that the source is
// mounted in as it is, and is never taken for a state of that server.

import type { JSONObject } from '../../types/protocol/json.ts'

/** In front of such a state at the client. No sealed state begins with it. */
const MARK = 'mounted:'

const results = new WeakSet<object>()

/** Called for a result as its source gave it. One that is made of it is sealed like any other. */
export function markSealedElsewhere(result: JSONObject): void {
  if (result['resultType'] === 'input_required' && typeof result['requestState'] === 'string') results.add(result)
}

/** The result for the client; `undefined` where its state has to be sealed here. */
export function withMarkedState(result: JSONObject): JSONObject | undefined {
  return results.has(result) ? { ...result, requestState: `${MARK}${result['requestState'] as string}` } : undefined
}

/** The state that the client sends back, where another than this server has sealed it. Nobody here has checked it. */
export function stateFromElsewhere(token: unknown): string | undefined {
  return typeof token === 'string' && token.startsWith(MARK) ? token.slice(MARK.length) : undefined
}

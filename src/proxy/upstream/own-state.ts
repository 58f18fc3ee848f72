// The `requestState` of a call that a server in front did not open, since this source had sealed it.
import { extrasOf, findExtras, outerRequestOf, type ServerRequestContext } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

/** The params with the state that is the source's own, which nobody else takes for his afterwards. */
export function withOwnState(request: ServerRequestContext, params: JSONObject): JSONObject {
  if (params['requestState'] !== undefined) return params
  for (let at: ServerRequestContext | undefined = request; at !== undefined; at = outerRequestOf(at)) {
    const extras = findExtras(at)
    const requestState = extras?.foreignState
    if (extras === undefined || requestState === undefined) continue
    extras.foreignState = undefined
    return { ...params, requestState }
  }
  return params
}

/** The state of the result is the source's own: a front passes it on as it is. */
export function noteOwnState(request: ServerRequestContext, { resultType, requestState }: JSONObject): void {
  if (resultType !== 'input_required' || typeof requestState !== 'string') return
  extrasOf(request).givenState = requestState
}

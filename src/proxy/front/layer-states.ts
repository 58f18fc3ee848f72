// The states of calls that ask, at a front: what a source gave passes as it is, since the source has made it for itself. All else
// comes of what stands between, such as a script that waits for an answer: nobody but the front can read it, and it is good for one
// call of one caller, for a while.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { extrasOf, findExtras, outerRequestOf, type ServerRequestContext } from '../../server/context.ts'
import { createRequestStateSeal, type RequestStateSeal } from '../../server/state/request-state.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { requestFacts } from '../../wire/method-rows.ts'

export class LayerStates {
  readonly #seal: RequestStateSeal
  /** In clear: fronts behind one another each know their own states, and a balancer can find the process. */
  readonly #prefix = `layers-${crypto.randomUUID().slice(0, 8)}.`

  constructor(name: string) {
    this.#seal = createRequestStateSeal({ audience: `layers ${name}` })
  }

  answer(
    request: ServerRequestContext,
    params: JSONObject,
    run: (params: JSONObject) => MaybePromise<JSONObject>,
  ): MaybePromise<JSONObject> {
    if (!concerns(request)) return run(params)
    const context = { method: request.method, params, principal: request.auth }
    const close = (result: JSONObject) => {
      const { requestState } = result
      if (result['resultType'] !== 'input_required' || typeof requestState !== 'string') return result
      if (findExtras(request)?.givenState === requestState) return result
      return this.#seal
        .seal(context, requestState)
        .then((sealed) => ({ ...result, requestState: `${this.#prefix}${sealed}` }))
    }
    const { requestState } = params
    if (typeof requestState !== 'string') return whenDone(run(params), close)
    const { requestState: _state, ...rest } = params
    if (!requestState.startsWith(this.#prefix)) {
      extrasOf(request).foreignState = requestState
      return whenDone(run(rest), close)
    }
    return this.#seal
      .unseal(context, requestState.slice(this.#prefix.length))
      .then((opened) => run({ ...rest, requestState: opened }))
      .then(close)
  }
}

/** A server that the front is mounted in seals for itself, and the state of a run stays here. */
function concerns(request: ServerRequestContext): boolean {
  const mayAsk = requestFacts(request.method)?.mayAskForInput === true && isModernVersion(request.protocolVersion)
  return mayAsk && request.task === undefined && outerRequestOf(request) === undefined
}

// Whose the states of calls that ask are. A source that knows the proxy alone would take one from every caller who has learned it.
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { principalKeyOf } from '../base/caller.ts'

const MAX_STATES = 100_000
/** So much of a state is read to know it again: what is sealed differs at its end. */
const READ_LENGTH = 4_096

/** A state that the source has given to several callers belongs to none of them. */
const SHARED = Symbol('shared')

export class StateOwners {
  readonly #owners = new Map<string, string | typeof SHARED>()
  readonly #onForeign: (method: string) => void

  constructor(onForeign: (method: string) => void) {
    this.#onForeign = onForeign
  }

  /** Throws `MCPError` -32602 for the state of another caller, as for a forged one. */
  check(request: ServerRequestContext, { requestState }: JSONObject): void {
    if (this.#owners.size === 0 || typeof requestState !== 'string') return
    const owner = this.#owners.get(keyOf(requestState))
    if (owner === undefined || owner === SHARED || owner === principalKeyOf(request)) return
    this.#onForeign(request.method)
    throw new MCPError(ErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
  }

  /** The state of a result that asks is the caller's from here on, where the caller was verified. */
  note(request: ServerRequestContext, { resultType, requestState }: JSONObject): void {
    if (resultType !== 'input_required' || typeof requestState !== 'string' || request.auth === undefined) return
    const [key, owner] = [keyOf(requestState), principalKeyOf(request)]
    const known = this.#owners.get(key)
    const [oldest] = this.#owners.keys()
    if (known === undefined && this.#owners.size >= MAX_STATES && oldest !== undefined) this.#owners.delete(oldest)
    this.#owners.set(key, known === undefined || known === owner ? owner : SHARED)
  }
}

/** Two sums over the end of the text. A state with those of another one would have to come from the source itself. */
function keyOf(state: string): string {
  let [one, other] = [0x811c9dc5, 0x9e3779b9]
  for (let at = Math.max(0, state.length - READ_LENGTH); at < state.length; at += 1) {
    const code = state.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13)
  }
  return `${state.length} ${one} ${other}`
}

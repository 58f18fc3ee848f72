// `requestState` on a backend, loaded with the first state: most servers have no backend, and of those that have one few ask.

import type { Backend } from '../../backend/backend.ts'
import { loading } from '../../primitives/loading.ts'

const load = () => loading(import('./backend-state.ts'))

/** For `redeem`: whether no node has accepted this state before. Rejects with an `MCPError` where the engine does not say. */
export function redeemOn(backend: Backend): (id: string, expiresAt: number) => Promise<boolean> {
  return async (id, expiresAt) => (await load()).redeem(backend, id, expiresAt)
}

/** The states that are too large for `requestState`. */
export interface LargeStates {
  get(id: string): Promise<string | undefined>
  set(id: string, state: string, expiresAt: number): Promise<void>
  delete(id: string): Promise<void>
}

export function largeStatesOn(backend: Backend): LargeStates {
  const states = async () => (await load()).largeStates(backend)
  return {
    get: async (id) => (await states()).get(id),
    set: async (id, state, expiresAt) => (await states()).set(id, state, expiresAt),
    delete: async (id) => (await states()).delete(id),
  }
}

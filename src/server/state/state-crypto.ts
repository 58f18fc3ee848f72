// The cryptography for the state of a call: the runtime's own where that is cheaper, WebCrypto everywhere else.
import { platform } from '#platform'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { StateCrypto } from '../../primitives/sealing/state-crypto.ts'
import { webStateCrypto } from '../../primitives/sealing/web-state-crypto.ts'

let loaded: MaybePromise<StateCrypto> | undefined

/** There at once after the first time. */
export function loadStateCrypto(): MaybePromise<StateCrypto> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<StateCrypto> {
  const found = (await platform.loadStateCrypto()) ?? webStateCrypto
  loaded = found
  return found
}

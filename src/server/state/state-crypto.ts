// The cryptography for the state of a call: the runtime's own where that is cheaper, WebCrypto everywhere else.
import { platform } from '#platform'
import type { StateCrypto } from '../../primitives/sealing/state-crypto.ts'
import { webStateCrypto } from '../../primitives/sealing/web-state-crypto.ts'

let loading: Promise<StateCrypto> | undefined

export function loadStateCrypto(): Promise<StateCrypto> {
  loading ??= platform.loadStateCrypto().then((own) => own ?? webStateCrypto)
  return loading
}

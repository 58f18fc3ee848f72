// What a session of a legacy source keeps for its client: the next session has to be asked for it again.
import { LazySet } from '../../primitives/lazy-collections.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

const MAX_URIS = 1_024

export class AskedToKeep {
  /** As the client gave it. */
  level: JSONObject | undefined = undefined
  /** Of resources whose changes it hears of. */
  readonly uris = new LazySet<string>()

  /** The source has agreed to this. */
  note(method: string, params: JSONObject): void {
    if (method === 'logging/setLevel') this.level = params
    const { uri } = params
    if (typeof uri !== 'string') return
    if (method === 'resources/subscribe' && this.uris.size < MAX_URIS) this.uris.add(uri)
    if (method === 'resources/unsubscribe') this.uris.delete(uri)
  }
}

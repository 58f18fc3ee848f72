// What the callers of one legacy session want to hear of its source: the source is asked for all of it, and each caller gets its part.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { LazyMap } from '../../primitives/lazy-collections.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../../types/features/logging.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

type Send = (method: string, params: JSONObject) => Promise<JSONObject>

export class Wishes {
  readonly #send: Send
  readonly #uris = new LazyMap<string, { count: number; readonly agreed: Promise<JSONObject> }>()
  #lowest: number = LOGGING_LEVELS.length

  constructor(send: Send) {
    this.#send = send
  }

  /** Asks for messages of this level, unless it was asked for them or for lower ones. Rejects as the source does. */
  async hear(level: LoggingLevel): Promise<JSONObject> {
    const wanted = severityOf(level)
    const before = this.#lowest
    if (wanted >= before) return {}
    this.#lowest = wanted
    try {
      return await this.#send('logging/setLevel', { level })
    } catch (error) {
      this.#lowest = before
      throw error
    }
  }

  /** Subscribes to a resource for one caller more. Rejects as the source does. */
  watch(uri: string): Promise<JSONObject> {
    const known = this.#uris.get(uri)
    if (known !== undefined) {
      known.count += 1
      return known.agreed
    }
    const agreed = this.#send('resources/subscribe', { uri })
    this.#uris.set(uri, { count: 1, agreed })
    agreed.catch(() => this.#uris.delete(uri))
    return agreed
  }

  /** Ends the subscription with the last of its callers. */
  async unwatch(uri: string): Promise<JSONObject> {
    const known = this.#uris.get(uri)
    if (known === undefined) return {}
    known.count -= 1
    if (known.count > 0) return {}
    this.#uris.delete(uri)
    return this.#send('resources/unsubscribe', { uri })
  }
}

/** Whether a caller that asked for this level gets the message. One of no known level goes to all who listen. */
export function isWanted(wanted: LoggingLevel, params: JSONObject | undefined): boolean {
  const level = isPlainObject(params) ? params['level'] : undefined
  const severity = severityOf(level)
  return severity === -1 || severity >= severityOf(wanted)
}

function severityOf(level: unknown): number {
  return (LOGGING_LEVELS as readonly unknown[]).indexOf(level)
}

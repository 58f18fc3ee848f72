// The values of `ctx.session.shared`, all in one text: with the record of the session, or in memory.

import { utf8Length } from '../../backend/rules.ts'
import { typeError } from '../../primitives/help.ts'
import { LimitError } from '../../types/errors/failures.ts'
import type { JSONValue } from '../../types/protocol/json.ts'
import type { KeptValues, SharedValues } from '../shared-values.ts'
import { randomName } from './digest.ts'

const MAX_BYTES = 64 * 1024
const MAX_TRIES = 32

export function sessionValues(kept: KeptValues = valuesInMemory()): SharedValues {
  /** Changes all values at once; repeated while others are faster. */
  async function change(step: (values: Map<string, JSONValue>) => boolean): Promise<void> {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const stored = await kept.read()
      const values = parse(stored?.text)
      if (!step(values)) return
      if (await kept.write(format(values), stored?.revision)) return
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tries, 50)))
    }
    throw new Error(`The shared values of this session were changed by others ${MAX_TRIES} times in a row.`)
  }

  return {
    async get(key) {
      const stored = await kept.read()
      return parse(stored?.text).get(key)
    },
    set: (key, value) => change((values) => put(values, key, value)),
    async update(key, make) {
      let made: JSONValue | undefined
      await change((values) => {
        made = make(values.get(key))
        return made === undefined ? values.delete(key) : put(values, key, made)
      })
      return made
    },
    async delete(key) {
      let wasThere = false
      await change((values) => {
        wasThere = values.delete(key)
        return wasThere
      })
      return wasThere
    },
  }
}

function put(values: Map<string, JSONValue>, key: string, value: JSONValue): true {
  if (JSON.stringify(value) === undefined)
    throw typeError('not-json', `The shared value '${key.slice(0, 128)}' is not JSON.`)
  values.set(key, value)
  return true
}

function format(values: Map<string, JSONValue>): string {
  // No text is written twice: an engine takes the same text for the repeat of a write, and one of two equal changes would be lost.
  const text = JSON.stringify([randomName(9), ...values])
  if (utf8Length(text) > MAX_BYTES) throw new LimitError('bytes of shared values of a session', MAX_BYTES)
  return text
}

/** A text that is none of ours counts as no values: whoever can write to the engine may have written it. */
function parse(text: string | undefined): Map<string, JSONValue> {
  if (text === undefined || text.length > MAX_BYTES) return new Map()
  try {
    const entries: unknown = JSON.parse(text)
    return new Map(Array.isArray(entries) ? entries.slice(1).filter(isEntry) : [])
  } catch {
    return new Map()
  }
}

function isEntry(value: unknown): value is [string, JSONValue] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string'
}

/** The values of a session that one process serves. */
function valuesInMemory(): KeptValues {
  let text: string | undefined
  let revision = 0
  return {
    read: async () => (text === undefined ? undefined : { text, revision: String(revision) }),
    write: async (changed, expected) => {
      if ((text === undefined ? undefined : String(revision)) !== expected) return false
      text = changed
      revision += 1
      return true
    },
  }
}

// Texts of tasks: small ones inside the task's own message, large ones as messages of their own, so that a change of the task does not
// send them again. Those are named by a digest: the same text again is the same name.
import { BackendError } from '../../backend/backend-error.ts'
import type { Trip } from '../connection/trip.ts'
import type { Engine } from '../engine/engine.ts'
import { digestOf } from '../engine/names.ts'

export type Texts = Readonly<Record<string, string>>

const INLINE = '='
const APART = '#'
const LARGEST_INLINE = 2_048
const DIGEST_LENGTH = 43

export class TaskTexts {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** As it is kept in the task. What is large has to be stored first. */
  pack(text: string): string {
    if (text.length <= LARGEST_INLINE) return INLINE + text
    return `${APART}${digestOf(text, DIGEST_LENGTH)}${Buffer.byteLength(text)}`
  }

  packAll(texts: Texts): Record<string, string> {
    return mapTexts(texts, (text) => this.pack(text))
  }

  /** Stores those that are large. */
  async store(trip: Trip, id: string, texts: readonly string[], ttlMs: number): Promise<void> {
    const { state, names } = this.#engine
    const large = texts.filter((text) => text.length > LARGEST_INLINE)
    await Promise.all(
      large.map((data) => {
        state.checkSize(trip.operation, Buffer.byteLength(data))
        const subject = names.text(id, digestOf(data, DIGEST_LENGTH))
        return state.write(trip, subject, { id: this.#engine.newId(), ttlMs, data })
      }),
    )
  }

  async unpack(trip: Trip, id: string, packed: string): Promise<string> {
    if (packed.startsWith(INLINE)) return packed.slice(1)
    // What the store itself says about a task has no mark.
    if (!packed.startsWith(APART)) return packed
    const { state, names } = this.#engine
    const stored = await state.last(trip, names.text(id, packed.slice(1, 1 + DIGEST_LENGTH)))
    if (stored !== undefined) return stored.data
    const message = `${trip.operation} found a task without one of its texts.`
    throw new BackendError(message, { kind: 'corrupt', operation: trip.operation })
  }

  async unpackAll(trip: Trip, id: string, packed: Texts): Promise<Record<string, string>> {
    const texts = await Promise.all(Object.values(packed).map((text) => this.unpack(trip, id, text)))
    let index = 0
    return mapTexts(packed, () => texts[index++] as string)
  }

  /** Removes what is stored apart. */
  remove(trip: Trip, id: string): Promise<void> {
    return this.#engine.state.purge(trip, this.#engine.names.text(id, '*'))
  }
}

/** What a packed text takes, wherever it is. */
export function sizeOfPacked(packed: string): number {
  if (packed.startsWith(APART)) return Number(packed.slice(1 + DIGEST_LENGTH))
  return Buffer.byteLength(packed)
}

export function sizeOfAllPacked(packed: Texts = {}): number {
  return Object.entries(packed).reduce((sum, [name, text]) => sum + Buffer.byteLength(name) + sizeOfPacked(text), 0)
}

/** Keys may be names of the language. */
function mapTexts(texts: Texts, change: (text: string) => string): Record<string, string> {
  const changed = Object.create(null) as Record<string, string>
  for (const [name, text] of Object.entries(texts)) changed[name] = change(text)
  return changed
}

// Values that were met before.
import { asCounted, canonicalText } from './equality.ts'
import { compareSteps, type DepthMeter, ENTRY, hashSteps, TURN } from './steps.ts'

/** V8 takes the length of a longer text for its hash: in a set, all texts of one length would meet in one place. */
const MAX_HASHED_LENGTH = 16_383

export class DistinctValues {
  readonly #primitives = new Set<unknown>()
  readonly #texts = new DistinctTexts()
  readonly #composites = new DistinctTexts()

  /** Whether an equal value is there. */
  has(value: unknown, meter: DepthMeter): boolean {
    meter.spend(ENTRY)
    if (typeof value === 'string') return this.#texts.has(value, meter)
    if (typeof value !== 'object' || value === null) return this.#primitives.has(value)
    return this.#composites.has(canonicalText(value, meter, asCounted), meter)
  }

  /** Whether an equal value was there before. */
  add(value: unknown, meter: DepthMeter): boolean {
    meter.spend(ENTRY)
    if (typeof value === 'string') return this.#texts.add(value, meter)
    if (typeof value === 'object' && value !== null) {
      return this.#composites.add(canonicalText(value, meter, asCounted), meter)
    }
    const isKnown = this.#primitives.has(value)
    if (!isKnown) this.#primitives.add(value)
    return isKnown
  }
}

class DistinctTexts {
  readonly #hashed = new Set<string>()
  /** The long ones by their length. */
  readonly #long = new Map<number, string[]>()

  has(text: string, meter: DepthMeter): boolean {
    if (text.length > MAX_HASHED_LENGTH) return isAmong(this.#long.get(text.length) ?? [], text, meter)
    meter.spend(hashSteps(text.length))
    return this.#hashed.has(text)
  }

  add(text: string, meter: DepthMeter): boolean {
    if (this.has(text, meter)) return true
    const { length } = text
    if (length <= MAX_HASHED_LENGTH) this.#hashed.add(text)
    else if (this.#long.get(length)?.push(text) === undefined) this.#long.set(length, [text])
    return false
  }
}

function isAmong(texts: readonly string[], text: string, meter: DepthMeter): boolean {
  for (const other of texts) {
    meter.spend(TURN + compareSteps(text.length))
    if (other === text) return true
  }
  return false
}

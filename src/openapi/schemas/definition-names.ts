// Names of definitions: short, unique within the document, the same for every tool.
import type { Place } from '../document/library.ts'
import { shortName } from '../text/short-name.ts'
import { TakenNames } from '../text/taken-names.ts'

const MAX_NAME = 64

export class DefinitionNames {
  readonly #names = new Map<object, string>()
  readonly #places = new Map<string, Place>()
  readonly #taken = new TakenNames()

  nameOf(place: Place): string {
    const key = place.value as object
    // A boolean schema is a definition too; each of the two is one.
    const known = typeof key === 'object' ? this.#names.get(key) : undefined
    if (known !== undefined) return known
    const name = this.#taken.take(wordOf(place.pointer))
    this.#places.set(name, place)
    if (typeof key === 'object') this.#names.set(key, name)
    return name
  }

  placeOf(name: string): Place {
    return this.#places.get(name) as Place
  }
}

/** The last part of the reference that is a name. */
function wordOf(pointer: string): string {
  const parts = pointer.split(/[/#]/).filter((part) => part !== '')
  const word = parts.findLast((part) => /[A-Za-z]/.test(part)) ?? 'Part'
  return shortName(word.replace(/\.(?:json|ya?ml)$/i, ''), MAX_NAME - 6) || 'Part'
}

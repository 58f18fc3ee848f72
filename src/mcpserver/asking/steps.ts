// The rules for steps, the same in both eras: a name stands for one side effect, its value is JSON, and nothing is asked inside.

import { platform } from '#platform'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { AmbientStorage } from '../../primitives/platform.ts'

const MAX_DEPTH = 100

const innermost = createStorage()

/** Undefined where the runtime cannot follow asynchronous calls. */
function createStorage(): AmbientStorage<Steps> | undefined {
  try {
    return platform.createAmbientStorage<Steps>()
  } catch {
    return undefined
  }
}

/** The steps of one run. */
export class Steps {
  readonly #names = new Set<string>()
  #underWay = 0

  get areUnderWay(): boolean {
    return this.#underWay > 0
  }

  /** Throws when this run had a step of that name already. */
  claim(name: string): void {
    if (this.#names.has(name)) {
      throw new TypeError(`The step '${name}' was begun twice in one call; give each step a name of its own`)
    }
    this.#names.add(name)
  }

  /** Runs a side effect. One that fails gives its name back, so that it can be tried again. */
  async run<Value>(name: string, work: () => MaybePromise<Value>): Promise<Value> {
    this.claim(name)
    this.#underWay += 1
    try {
      const value = await (innermost === undefined ? work() : innermost.run(this, work))
      if (value !== undefined && !isJSON(value)) throw notJSON(name)
      return value
    } catch (error) {
      this.#names.delete(name)
      throw error
    } finally {
      this.#underWay -= 1
    }
  }

  /** A step that waits for an answer would run once more in each round. */
  checkOutside(): void {
    if (innermost?.get() !== this) return
    throw new TypeError('A step must not ask: ask before it or after it, and give the answer to the step')
  }
}

function notJSON(name: string): TypeError {
  return new TypeError(
    `The step '${name}' returned something that JSON cannot carry to the next round; ` +
      'return plain objects, arrays, strings, finite numbers, booleans, null or nothing',
  )
}

/** Whether a value comes back the same from JSON. Members that are `undefined` count as absent. */
function isJSON(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isJSON(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((member) => member === undefined || isJSON(member, depth + 1))
}

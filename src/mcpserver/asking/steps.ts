// The rules for steps, the same in both eras: each step has its own name, returns JSON, and asks nothing.

import { platform } from '#platform'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import type { AmbientStorage } from '../../primitives/platform.ts'

const MAX_DEPTH = 100

const innermost = createStorage()

/** `undefined` where the runtime has no async context. */
function createStorage(): AmbientStorage<Steps> | undefined {
  try {
    return platform.createAmbientStorage<Steps>()
  } catch {
    return undefined
  }
}

/** The steps of one run of a handler. */
export class Steps {
  readonly #names = new Set<string>()
  #running = 0

  get areRunning(): boolean {
    return this.#running > 0
  }

  /** Throws if this run already had a step of that name. */
  claimName(name: string): void {
    if (this.#names.has(name)) {
      throw typeError(
        'wrong-argument',
        `The step '${name}' was started twice in one call. Give each step its own name.`,
      )
    }
    this.#names.add(name)
  }

  /**
   * Runs a side effect, and keeps its value where that is asked for. The name of a step that fails is free again, so that the
   * handler can retry it.
   */
  async run<Value>(
    name: string,
    work: () => MaybePromise<Value>,
    keep?: (value: Value) => MaybePromise<void>,
  ): Promise<Value> {
    this.claimName(name)
    this.#running += 1
    try {
      const value = await (innermost === undefined ? work() : innermost.run(this, work))
      if (value !== undefined && !comesBackFromJSON(value)) throw stepNotJSON(name)
      await keep?.(value)
      return value
    } catch (error) {
      this.#names.delete(name)
      throw error
    } finally {
      this.#running -= 1
    }
  }

  /** Throws if called inside a step: a step that waits for an answer would run again in each round. */
  checkOutsideStep(): void {
    if (innermost?.get() !== this) return
    throw typeError(
      'wrong-argument',
      "A step asked a question, which steps can't do. Ask before the step and use the answer inside it.",
    )
  }
}

function stepNotJSON(name: string): TypeError {
  return typeError(
    'wrong-argument',
    `The step '${name}' returned a value that is not JSON, so that it can't be kept for the next round. ` +
      'Return plain objects, arrays, strings, finite numbers, booleans, null or undefined.',
  )
}

/** Whether a value is the same after `JSON.stringify` and `JSON.parse`. Members that are `undefined` count as absent. */
function comesBackFromJSON(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => comesBackFromJSON(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((member) => member === undefined || comesBackFromJSON(member, depth + 1))
}

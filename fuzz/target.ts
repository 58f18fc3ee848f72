// The interface of a fuzzing target: a property that must hold for any input.
import type { IAsyncProperty, IProperty } from 'fast-check'

export interface FuzzTarget {
  readonly name: string
  /** The property in a few words. */
  readonly about: string
  /** The number of runs in `npm test`: a few seconds on an idle machine, and the same at any load. */
  readonly runs: number
  readonly property: IAsyncProperty<never> | IProperty<never>
  /** Closes what the target has opened. */
  readonly close?: () => Promise<void>
}

/** Hides the type of the inputs. */
export function asProperty(property: unknown): FuzzTarget['property'] {
  return property as FuzzTarget['property']
}

/** Throws if the condition is false. fast-check prints the message with the input. */
export function demand(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

/** Throws unless both values have the same JSON text, which is what a peer receives. */
export function demandAlike(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  demand(a === b, `${what}: ${a} instead of ${b}`)
}

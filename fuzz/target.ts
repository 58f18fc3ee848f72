// What a fuzzing target is: a property that must hold for whatever a stranger sends.
import type { IAsyncProperty, IProperty } from 'fast-check'

export interface FuzzTarget {
  readonly name: string
  /** What must hold, in a few words. */
  readonly about: string
  /** How often it is tried in `npm test`: a few seconds on a quiet machine, and the same at any load. */
  readonly runs: number
  readonly property: IAsyncProperty<never> | IProperty<never>
  /** Lets go of what the target has opened. */
  readonly close?: () => Promise<void>
}

/** Inputs are the target's own business. */
export function asProperty(property: unknown): FuzzTarget['property'] {
  return property as FuzzTarget['property']
}

/** Throws where something is not as it must be. What is compared is shown by fast-check, with the input. */
export function demand(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

/** Throws unless both print alike as JSON, which is what arrives at the other side. */
export function demandAlike(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  demand(a === b, `${what}: ${a} instead of ${b}`)
}

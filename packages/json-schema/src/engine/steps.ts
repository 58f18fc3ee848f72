// What work costs, in steps. A step stands for ten nanoseconds at most of a machine of 2020 under load; a loop, a look into a
// table and a run over a text each have their price, so that a bound on steps is a bound on time, the same at any load.
import { LimitError } from './errors.ts'

/** Pays for work before it is done, and rejects what would be too much. */
export interface Meter {
  spend(steps: number): void
}

/** Also counts how deep a walk is, so that none goes too deep. */
export interface DepthMeter extends Meter {
  enter(steps: number): void
  leave(): void
}

/** For work that was bounded before. */
export const UNMETERED: DepthMeter = { spend() {}, enter() {}, leave() {} }

/** One turn of a loop with a call in it. */
export const TURN = 2
/** One look for a member of an object. */
export const LOOKUP = 4
/** The same in an object of very many, where each look goes to another place of the memory. */
export const FAR_LOOKUP = 15

// The engine remembers where it found the last few.
const REMEMBERED_NAMES = 50

/** To look for so many names in an object. */
export function lookupSteps(names: number): number {
  return names <= REMEMBERED_NAMES ? names * LOOKUP : names * 2 * LOOKUP
}
/** One entry of a set or a map that is made for the occasion. */
export const ENTRY = 10
/** A list of misfits of its own, or the closures for it. */
export const DETOUR = 10

/** To compare two texts of this length. */
export function compareSteps(length: number): number {
  return length >> 7
}

/** To look for a text of this length in a table. */
export function hashSteps(length: number): number {
  return length >> 4
}

/** To copy a text of this length, and to write it to another. */
export function copySteps(length: number): number {
  return length >> 2
}

// Up to here the engine keeps members in order; beyond it sorts them each time that it is asked for them.
const ORDERED_MEMBERS = 1_000

/** To list the names of so many members, and to look at each. */
export function memberSteps(members: number): number {
  if (members <= ORDERED_MEMBERS) return members * LOOKUP
  return members * Math.ceil(LOOKUP + 6 * Math.log2(members / ORDERED_MEMBERS))
}

/** To sort so many names. */
export function sortSteps(names: number): number {
  return names < 2 ? 0 : Math.ceil(names * Math.log2(names))
}

export class Budget implements Meter {
  readonly #max: number
  #spent = 0

  constructor(max: number) {
    this.#max = max
  }

  get spent(): number {
    return this.#spent
  }

  spend(steps: number): void {
    this.#spent += steps
    if (this.#spent > this.#max) throw new LimitError('schema compilation steps', this.#max)
  }
}

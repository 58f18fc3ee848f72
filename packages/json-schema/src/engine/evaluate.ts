// The ways in which a keyword applies a subschema, and the members of the value that it has evaluated that way.
import type { SchemaNode } from './node.ts'
import type { Run } from './run.ts'
import { ENTRY } from './steps.ts'

/** Applies a schema to a member of the value; misfits get the member's key. */
export function evaluateMember(node: SchemaNode, member: unknown, key: string | number, run: Run): boolean {
  const mark = run.misfits.length
  if (node.check(member, run, undefined)) return true
  run.placeUnder(key, mark)
  return false
}

/** Applies a schema to the same value. What it evaluated counts only if the value fits it. */
export function evaluateInPlace(node: SchemaNode, value: unknown, run: Run, seen: Seen | undefined): boolean {
  if (seen === undefined) return node.check(value, run, undefined)
  run.spend(ENTRY)
  const own = new Seen()
  if (!node.check(value, run, own)) return false
  seen.merge(own, run)
  return true
}

/** Whether the value fits, recording nothing of why not. */
export function fits(node: SchemaNode, value: unknown, run: Run, seen: Seen | undefined): boolean {
  if (run.stopsEarly) return evaluateInPlace(node, value, run, seen)
  return run.probe(() => evaluateInPlace(node, value, run, seen))
}

/** The evaluated members of one value. Kept only below a schema that has an `unevaluated…` keyword. */
export class Seen {
  hasAllProperties = false
  hasAllItems = false
  /** Every item before this index is evaluated. */
  leadingItems = 0
  readonly #properties = new Set<string>()
  readonly #items = new Set<number>()

  addProperty(name: string, run: Run): void {
    run.spend(ENTRY)
    this.#properties.add(name)
  }

  addItem(index: number, run: Run): void {
    run.spend(ENTRY)
    this.#items.add(index)
  }

  hasProperty(name: string): boolean {
    return this.hasAllProperties || this.#properties.has(name)
  }

  hasItem(index: number): boolean {
    return this.hasAllItems || index < this.leadingItems || this.#items.has(index)
  }

  /** Takes over what a schema applied to the same value has evaluated. */
  merge(other: Seen, run: Run): void {
    run.spend((other.#properties.size + other.#items.size) * ENTRY)
    this.hasAllProperties ||= other.hasAllProperties
    this.hasAllItems ||= other.hasAllItems
    this.leadingItems = Math.max(this.leadingItems, other.leadingItems)
    for (const name of other.#properties) this.#properties.add(name)
    for (const index of other.#items) this.#items.add(index)
  }
}

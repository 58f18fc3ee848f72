// The ways in which a keyword applies a subschema: to a member, in place, or only to find out.
import type { SchemaNode } from './node.ts'
import type { Run } from './run.ts'
import { Seen } from './seen.ts'
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

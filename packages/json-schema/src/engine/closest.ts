// Finds, when no alternative fits, the one that was probably meant: its misfits help, those of the others confuse.

import { labelOf, list, toLine, typeName } from './issue.ts'
import type { JSONObject } from './json-schema.ts'
import type { Misfit } from './run.ts'
import { ENTRY, type Meter, TURN } from './steps.ts'

export interface Closest {
  /** What to say of the alternatives as a whole. */
  readonly text: string
  /** What to say of the one that was meant, if that is clear. */
  readonly misfits: readonly Misfit[]
}

/** Judges the misfits of all alternatives that were tried on the value. */
export function closestMisfits(branches: readonly Misfit[][], value: unknown, meter: Meter): Closest {
  const total = branches.reduce((sum, branch) => sum + branch.length, 0)
  meter.spend(branches.length * ENTRY + total * TURN * (3 + (branches[0]?.length ?? 0)))
  const types = expectedTypes(branches, meter)
  if (types !== undefined) return { text: `expected ${types.join(' or ')}, got ${typeName(value)}`, misfits: [] }
  const text = `expected one of ${branches.length} alternatives, and none fits`
  const candidates = branches.filter((misfits) => !misfits.some(meansAnotherKind))
  const [meant] = candidates
  if (candidates.length === 1 && meant !== undefined) return { text, misfits: meant }
  const tag = commonTag(branches, value, meter)
  if (tag !== undefined) return { text, misfits: [tag] }
  return { text: `${text}: ${summarize(branches)}`, misfits: [] }
}

/** The member that distinguishes the alternatives, if it is wrong in all of them, with all values that it could have. */
function commonTag(branches: readonly Misfit[][], value: unknown, meter: Meter): Misfit | undefined {
  for (const misfit of branches[0] ?? []) {
    const [key] = misfit.path
    const same = branches.map((misfits) => misfits.find((other) => isTagOf(other, key)))
    if (key === undefined || !same.every((other) => other !== undefined)) continue
    const values = new Set<unknown>()
    for (const { site } of same) {
      const named = [site.value].flat()
      meter.spend(named.length * ENTRY)
      for (const one of named) values.add(one)
    }
    const text = `expected one of ${list([...values])}, got ${typeName((value as JSONObject)[key])}`
    return { site: misfit.site, text, path: [key] }
  }
  return undefined
}

function isTagOf({ site, path }: Misfit, key: string | number | undefined): boolean {
  return path.length === 1 && path[0] === key && (site.keyword === 'const' || site.keyword === 'enum')
}

const MAX_ALTERNATIVES = 5
const MAX_MISFITS_PER_ALTERNATIVE = 2
// Alternatives may have alternatives of their own.
const MAX_SUMMARY_LENGTH = 300

/** What is wrong with each alternative, in a few words, since it is unclear which one was meant. */
function summarize(branches: readonly Misfit[][]): string {
  const shown = branches
    .slice(0, MAX_ALTERNATIVES)
    .map((misfits) => misfits.slice(0, MAX_MISFITS_PER_ALTERNATIVE).map(describeMisfit).join(', '))
  if (branches.length > MAX_ALTERNATIVES) shown.push('…')
  return toLine(shown.join('; or '), MAX_SUMMARY_LENGTH)
}

function describeMisfit({ text, path }: Misfit): string {
  const label = labelOf(path.toReversed())
  return label === '' ? text : `${label}: ${text}`
}

/** All the types that would do, when in every alternative it is just the type that is wrong. */
function expectedTypes(branches: readonly Misfit[][], meter: Meter): unknown[] | undefined {
  const types = new Set<unknown>()
  for (const misfits of branches) {
    const misfit = misfits.find(({ site, path }) => site.keyword === 'type' && path.length === 0)
    if (misfit === undefined) return undefined
    const named = [misfit.site.value].flat()
    meter.spend(named.length * ENTRY)
    for (const type of named) types.add(type)
  }
  return [...types]
}

/** A wrong type, or a wrong tag one level down, says that another alternative was meant. */
function meansAnotherKind({ site, path }: Misfit): boolean {
  if (path.length === 0) return site.keyword === 'type' || site.keyword === 'const'
  return path.length === 1 && (site.keyword === 'const' || site.keyword === 'enum')
}

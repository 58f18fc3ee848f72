// Finds, when no alternative fits, the one that was probably meant: its misfits help, those of the others confuse.
import { typeName } from './issue.ts'
import type { Misfit } from './run.ts'

export interface Closest {
  /** What to say of the alternatives as a whole. */
  readonly text: string
  /** What to say of the one that was meant, if that is clear. */
  readonly misfits: readonly Misfit[]
}

/** Judges the misfits of all alternatives that were tried on the value. */
export function closestMisfits(branches: readonly Misfit[][], value: unknown): Closest {
  const types = expectedTypes(branches)
  if (types !== undefined) return { text: `expected ${types.join(' or ')}, got ${typeName(value)}`, misfits: [] }
  const text = `expected one of ${branches.length} alternatives, and none fits`
  const candidates = branches.filter((misfits) => !misfits.some(tellsAnotherKind))
  const [meant] = candidates
  return { text, misfits: candidates.length === 1 && meant !== undefined ? meant : [] }
}

/** All the types that would do, when in every alternative it is just the type that is wrong. */
function expectedTypes(branches: readonly Misfit[][]): unknown[] | undefined {
  const types = new Set<unknown>()
  for (const misfits of branches) {
    const misfit = misfits.find(({ site, path }) => site.keyword === 'type' && path.length === 0)
    if (misfit === undefined) return undefined
    for (const type of [misfit.site.value].flat()) types.add(type)
  }
  return [...types]
}

/** A wrong type, or a wrong tag one level down, says that another alternative was meant. */
function tellsAnotherKind({ site, path }: Misfit): boolean {
  if (path.length === 0) return site.keyword === 'type' || site.keyword === 'const'
  return path.length === 1 && (site.keyword === 'const' || site.keyword === 'enum')
}

// One grammar per revision: what a named thing must look like there, and what of it belongs to other revisions.
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../types/protocol/versions.ts'
import { SHAPES_2024_11_05 } from './2024-11-05.ts'
import { SHAPES_2025_03_26 } from './2025-03-26.ts'
import { SHAPES_2025_06_18 } from './2025-06-18.ts'
import { SHAPES_2025_11_25 } from './2025-11-25.ts'
import { SHAPES_2026_07_28 } from './2026-07-28.ts'
import { type Check, compile, type Scope } from './compile.ts'
import type { Misfit } from './misfit.ts'
import type { Shape, ShapeTable } from './shape.ts'
import type { ShapeName } from './shape-names.ts'
import { compileSieve, type Sieve, type SieveScope } from './sieve.ts'

export type { ShapeName }

/** The table of each revision. */
export const SHAPES: Readonly<Record<ProtocolVersion, ShapeTable>> = {
  '2024-11-05': SHAPES_2024_11_05,
  '2025-03-26': SHAPES_2025_03_26,
  '2025-06-18': SHAPES_2025_06_18,
  '2025-11-25': SHAPES_2025_11_25,
  '2026-07-28': SHAPES_2026_07_28,
}

/** Members that stay although the revision does not list them. */
export const NEVER_SIEVED: readonly {
  shapes: readonly ShapeName[]
  members: readonly string[] | 'all'
  reason: string
}[] = [
  {
    shapes: ['ClientCapabilities', 'ServerCapabilities'],
    members: ['extensions'],
    reason: 'SEP-2133 shows extensions in a handshake as well, and capability objects are open.',
  },
  {
    shapes: ['RequestMetaObject', 'NotificationMetaObject', 'ResultMetaObject'],
    members: 'all',
    reason: '_meta is an open bag; its keys carry a namespace and nobody is surprised by one more.',
  },
]

/** The shapes of one revision, by name. */
export interface Grammar {
  has(name: string): name is ShapeName
  /** The check of a shape: its paths grow from the inside out. */
  checkOf(name: ShapeName): Check
  /** The sieve of a shape; `undefined` where no value of it can hold anything foreign. */
  sieveOf(name: ShapeName): Sieve | undefined
  /** Where and why `value` is no such thing; `undefined` when it is one. */
  misfit(name: ShapeName, value: unknown): Misfit | undefined
  /**
   * The value without the members that this shape has in other revisions only. What no revision knows is kept.
   * The same value comes back when nothing has to go, and the input is never changed.
   */
  sieve<T>(name: ShapeName, value: T): T
}

/** A grammar over any table. Closures are made when a name is first asked for, and kept. */
export function createGrammar(table: ShapeTable): Grammar {
  const checks = new Map<string, Check>()
  const sieves = new Map<string, Sieve | undefined>()

  const scope: Scope = {
    shapeOf(name) {
      const shape = shapeIn(table, name)
      if (shape === undefined) throw new RangeError(`This revision has no shape named '${name}'`)
      return shape
    },
    checkOf(name) {
      const known = checks.get(name)
      if (known !== undefined) return known
      const check = compile(scope.shapeOf(name), scope)
      checks.set(name, check)
      return check
    },
  }
  const sieveScope: SieveScope = {
    checkOf: (shape) => compile(shape, scope),
    sieveOf(name) {
      if (sieves.has(name)) return sieves.get(name)
      const sieve = compileSieve(scope.shapeOf(name), foreignMembers(name, table), sieveScope)
      sieves.set(name, sieve)
      return sieve
    },
  }

  return {
    has: (name): name is ShapeName => Object.hasOwn(table, name),
    checkOf: scope.checkOf,
    sieveOf: sieveScope.sieveOf,
    misfit(name, value) {
      const found = scope.checkOf(name)(value)
      found?.path.reverse()
      return found
    },
    sieve<T>(name: ShapeName, value: T): T {
      const sieve = sieveScope.sieveOf(name)
      return sieve === undefined ? value : (sieve(value) as T)
    },
  }
}

/** The members of a shape over all revisions, without those of this one. */
function foreignMembers(name: string, table: ShapeTable): readonly string[] {
  const native = new Set(memberNames(shapeIn(table, name)))
  const all = PROTOCOL_VERSIONS.flatMap((version) => memberNames(shapeIn(SHAPES[version], name)))
  return [...new Set(all)].filter((member) => !native.has(member) && !isNeverSieved(name, member))
}

function shapeIn(table: ShapeTable, name: string): Shape | undefined {
  return Object.hasOwn(table, name) ? table[name]?.() : undefined
}

function memberNames(shape: Shape | undefined): string[] {
  return typeof shape === 'object' && shape.kind === 'object' ? Object.keys(shape.members) : []
}

function isNeverSieved(name: string, member: string): boolean {
  return NEVER_SIEVED.some(
    ({ shapes, members }) =>
      (shapes as readonly string[]).includes(name) && (members === 'all' || members.includes(member)),
  )
}

const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  PROTOCOL_VERSIONS.map((version) => [version, createGrammar(SHAPES[version])]),
)

/** The grammar of a revision as published, corrected where the published JSON form lost something. */
export function grammarOf(version: ProtocolVersion): Grammar {
  const grammar = GRAMMARS.get(version)
  if (grammar === undefined) throw new RangeError(`Unknown protocol version '${version}'`)
  return grammar
}

// What a client forgives in a result: small faults of a server that cost less to overlook than to fail the call for.
import { lazily } from '../primitives/lazily.ts'
import { SERVER_INFO_META_KEY } from '../types/protocol/meta.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../types/protocol/versions.ts'
import { REQUESTS } from './methods.ts'
import { createGrammar, type Grammar, SHAPES, type ShapeName } from './shapes/grammar.ts'
import { anything, extend, type Members, number, oneOf, optional, type Shape, type ShapeTable } from './shapes/shape.ts'

interface Relaxation {
  readonly reason: string
  readonly shapes: readonly ShapeName[]
  /** What is asked of a member instead, in those of the shapes that have it. */
  readonly members: Members
}

const RESULTS: readonly ShapeName[] = [...new Set(Object.values(REQUESTS).map(({ result }) => result))]

/** Applied to the results that a client reads, and to nothing else: the grammar itself stays as published. */
export const RELAXATIONS: readonly Relaxation[] = [
  {
    reason: 'Spec, base protocol: a result without resultType is a complete one, because older servers send none.',
    shapes: RESULTS,
    members: { resultType: optional('ResultType') },
  },
  {
    reason:
      'Spec, caching: without ttlMs, or with one below 0, a result is stale at once; without a scope it is private.',
    shapes: RESULTS,
    members: { ttlMs: optional(number), cacheScope: optional(oneOf('private', 'public')) },
  },
  {
    reason: 'The stamp of the server is for display only, and a malformed one reads as none.',
    shapes: ['ResultMetaObject', 'SubscriptionsListenResultMetaObject'],
    members: { [SERVER_INFO_META_KEY]: optional(anything) },
  },
]

function relax(table: ShapeTable): ShapeTable {
  const relaxed: Record<string, () => Shape> = { ...table }
  for (const { shapes, members } of RELAXATIONS) {
    for (const name of shapes) {
      const make = relaxed[name]
      if (make !== undefined) relaxed[name] = () => relaxMembers(make(), members)
    }
  }
  return relaxed
}

function relaxMembers(shape: Shape, members: Members): Shape {
  if (typeof shape !== 'object' || shape.kind !== 'object') return shape
  const replaced = Object.entries(members).filter(([member]) => Object.hasOwn(shape.members, member))
  return extend(shape, Object.fromEntries(replaced))
}

const GRAMMARS: ReadonlyMap<string, () => Grammar> = new Map(
  PROTOCOL_VERSIONS.map((version) => [version, lazily(() => createGrammar(relax(SHAPES[version])))]),
)

/** The grammar that a client holds results against: the published one, with the relaxations above. */
export function lenientGrammarOf(version: ProtocolVersion): Grammar {
  const grammar = GRAMMARS.get(version)
  if (grammar === undefined) throw new RangeError(`Unknown protocol version '${version}'`)
  return grammar()
}

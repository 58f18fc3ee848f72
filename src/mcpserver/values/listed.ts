// How definitions are listed: held against the grammar, so that one broken definition cannot take a whole list down with it, and
// in the form that each revision has for structured output.
// The grammar that lists are checked by when they are sent: what is made of it here is there already then.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { JSONSchemaObject } from '../../schema/json-schema.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import { LATEST_PROTOCOL_VERSION, type ProtocolVersion } from '../../types/protocol/versions.ts'
import { lenientGrammarOf } from '../../wire/relaxations.ts'
import { allowsAnyStructure } from '../../wire/revision-facts.ts'
import type { ShapeName } from '../../wire/shapes/grammar.ts'
import { formatMisfit, type Misfit } from '../../wire/shapes/misfit.ts'

/** Throws a `TypeError` that names the member. Checked in the newest revision: older ones have the same members, or fewer. */
export function checkListed(
  owner: string,
  shape: 'Tool' | 'Resource' | 'ResourceTemplate' | 'Prompt',
  listed: object,
): void {
  const misfit = isPlainlyRight(listed) ? undefined : findMisfit(shape, listed)
  if (misfit === undefined) return
  // Authors write `meta`.
  throw refuse(owner, misfit, misfit.path[0] === '_meta' ? ['meta', ...misfit.path.slice(1)] : misfit.path)
}

/** As `checkListed`, for what a tool requires of its clients. */
export function checkRequires(owner: string, requires: ClientCapabilities | undefined): void {
  const misfit = requires === undefined ? undefined : findMisfit('ClientCapabilities', requires)
  if (misfit !== undefined) throw refuse(owner, misfit, ['requires', ...misfit.path])
}

/** Members that are texts, and those that were checked when they were made. */
const TEXTS: ReadonlySet<string> = new Set(['name', 'title', 'description', 'uri', 'uriTemplate', 'mimeType'])
const MADE: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema'])

/** Most definitions have no other members: then no shape has to be made for them, which the start of a program would feel. */
function isPlainlyRight(listed: object): boolean {
  return Object.entries(listed).every(([member, value]) =>
    TEXTS.has(member) ? typeof value === 'string' : MADE.has(member) && isPlainObject(value),
  )
}

function findMisfit(shape: ShapeName, value: unknown): Misfit | undefined {
  return lenientGrammarOf(LATEST_PROTOCOL_VERSION).misfit(shape, value)
}

function refuse(owner: string, misfit: Misfit, path: Misfit['path']): TypeError {
  return new TypeError(`The definition of ${owner} is wrong at ${formatMisfit({ ...misfit, path })}`)
}

/** Until 2025-11-25 the properties of a tool's schema are objects; `true` and `false` are written as such. */
export function spellOutProperties(schema: JSONSchemaObject): JSONSchemaObject {
  const properties = ownMember(schema, 'properties')
  if (!isPlainObject(properties) || !Object.values(properties).some((property) => typeof property === 'boolean')) {
    return schema
  }
  const spelled = Object.entries(properties).map(([name, property]) => [name, spellOut(property)])
  return { ...schema, properties: Object.fromEntries(spelled) }
}

function spellOut(property: unknown): unknown {
  if (property === true) return {}
  return property === false ? { not: {} } : property
}

/** What structured output may be. */
export type Structure = 'objects' | 'anything'

/** The same thing for each structure; often one and the same value. */
export type ByStructure<T> = { readonly [S in Structure]: T }

export function structureOf(version: ProtocolVersion): Structure {
  return allowsAnyStructure(version) ? 'anything' : 'objects'
}

// How definitions are listed: checked against the grammar, so that one invalid definition can't break a whole list, and in the
// form that each revision has for structured output.
import { typeError } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { JSONSchemaObject } from '../../schema/json-schema.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { allowsAnyStructure } from '../../wire/revision-facts.ts'
import { misfitOfListed } from '../../wire/shapes/listed-shapes.ts'
import { formatMisfit, type Misfit } from '../../wire/shapes/misfit.ts'

/** Throws a `TypeError` that names the member. Checked in the newest revision: older ones have the same members, or fewer. */
export function checkListed(
  owner: string,
  shape: 'Tool' | 'Resource' | 'ResourceTemplate' | 'Prompt',
  listed: object,
): void {
  const misfit = hasOnlySimpleMembers(listed) ? undefined : misfitOfListed(shape, listed)
  if (misfit === undefined) return
  // The option is called `meta`.
  throw definitionError(owner, misfit, misfit.path[0] === '_meta' ? ['meta', ...misfit.path.slice(1)] : misfit.path)
}

/** As `checkListed`, for what a tool requires of its clients. */
export function checkRequires(owner: string, requires: ClientCapabilities | undefined): void {
  const misfit = requires === undefined ? undefined : misfitOfListed('ClientCapabilities', requires)
  if (misfit !== undefined) throw definitionError(owner, misfit, ['requires', ...misfit.path])
}

/** Members that are strings, and those that were checked before. */
const TEXTS: ReadonlySet<string> = new Set(['name', 'title', 'description', 'uri', 'uriTemplate', 'mimeType'])
const CHECKED: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema'])

/** Most definitions have no other members. Then no shape is compiled, which would slow down the start of a program. */
function hasOnlySimpleMembers(listed: object): boolean {
  return Object.entries(listed).every(([member, value]) =>
    TEXTS.has(member) ? typeof value === 'string' : CHECKED.has(member) && isPlainObject(value),
  )
}

function definitionError(owner: string, misfit: Misfit, path: Misfit['path']): TypeError {
  return typeError('bad-definition', `The definition of ${owner} is invalid at ${formatMisfit({ ...misfit, path })}`)
}

/** Up to 2025-11-25 the properties of a tool's schema must be objects, so `true` and `false` are written as `{}` and `{ not: {} }`. */
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

/** What structured output may be: objects only up to 2025-11-25, any JSON since. */
export type Structure = 'objects' | 'anything'

/** A value for each structure; often the same one. */
export type ByStructure<T> = { readonly [S in Structure]: T }

export function structureOf(version: ProtocolVersion): Structure {
  return allowsAnyStructure(version) ? 'anything' : 'objects'
}

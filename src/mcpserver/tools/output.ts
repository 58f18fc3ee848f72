// The output schema of a tool, and how each revision lists it.

import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ResolvedSchema } from '../../schema/user-schema.ts'
import type { ToolOutputSchema } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { DATA_KEYWORDS } from '../values/definition-checks.ts'
import { type ByStructure, spellOutProperties } from '../values/listed.ts'
import { freezeJSON } from '../values/plain-json.ts'

export interface OutputPlan {
  readonly listed: ByStructure<ToolOutputSchema>
  /** Whether the value is sent as `{ result }` in revisions that allow only objects. */
  readonly isWrapped: boolean
  readonly validate: ResolvedSchema['validate']
}

export function planOutput({ jsonSchema, validate }: ResolvedSchema): OutputPlan {
  const schema: ToolOutputSchema = freezeJSON(spellOutProperties(jsonSchema))
  const isWrapped = schema.type !== 'object'
  return { listed: { anything: schema, objects: isWrapped ? wrapSchema(schema) : schema }, isWrapped, validate }
}

/** The schema of `{ result: … }`, with its local references moved one level down. */
function wrapSchema(schema: ToolOutputSchema): ToolOutputSchema {
  const { $schema, ...inner } = schema
  return freezeJSON({
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result: '$id' in inner ? inner : moveReferences(inner) },
    required: ['result'],
  })
}

function moveReferences(schema: JSONObject): JSONObject {
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    DATA_KEYWORDS.has(key) ? value : moveReference(key, value),
  ])
  return Object.fromEntries(entries)
}

function moveReference(key: string, value: unknown): unknown {
  if (key === '$ref' && (value === '#' || (typeof value === 'string' && value.startsWith('#/')))) {
    return `#/properties/result${value.slice(1)}`
  }
  if (Array.isArray(value)) return value.map((item) => moveReference('', item))
  return isPlainObject(value) ? moveReferences(value) : value
}

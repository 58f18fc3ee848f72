// The output schema of a tool: how each revision lists it, and what it makes of the values that the tool returns.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { Validation } from '../../schema/json-schema.ts'
import type { ResolvedSchema } from '../../schema/user-schema.ts'
import type { JSONForm, PlainResult } from '../../server/results/respond.ts'
import type { CallToolResult, ToolOutputSchema } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ByStructure, type Structure, spellOutProperties } from '../values/listed.ts'
import { freezeJSON, toJSONForm } from '../values/plain-json.ts'
import { toPlainResult, toWholeResult, wrapForm } from '../values/results.ts'

export interface OutputPlan {
  readonly listed: ByStructure<ToolOutputSchema>
  /** Whether a value becomes `{ result }` where only objects are allowed. */
  readonly isWrapped: boolean
  readonly validate: ResolvedSchema['validate']
}

export function planOutput({ jsonSchema, validate }: ResolvedSchema): OutputPlan {
  const schema: ToolOutputSchema = freezeJSON(spellOutProperties(jsonSchema))
  const isWrapped = schema.type !== 'object'
  return { listed: { anything: schema, objects: isWrapped ? wrapSchema(schema) : schema }, isWrapped, validate }
}

/** The result for a returned value. A value that does not fit the schema is a `TypeError` that names the places. */
export function toStructuredResult(
  plan: OutputPlan,
  value: unknown,
  structure: Structure,
): MaybePromise<PlainResult | CallToolResult> {
  const whole = isOutspoken(value) ? toWholeResult(value) : undefined
  if (whole !== undefined) return holdToSchema(plan, whole, structure)
  return whenDone<Validation, PlainResult | CallToolResult>(plan.validate(value), (validation) => {
    // Only what is no output by itself can be a result around one.
    const result = validation.ok ? undefined : toWholeResult(value)
    if (result !== undefined) return holdToSchema(plan, result, structure)
    const valid = requireValid(validation)
    return toPlainResult(valid.text, adapt(plan, valid, structure))
  })
}

/** Whether a value has more of a result than a list of content, which an output may have as well. */
function isOutspoken(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    Array.isArray(value['content']) &&
    (value['isError'] === true || 'structuredContent' in value)
  )
}

async function holdToSchema(plan: OutputPlan, whole: CallToolResult, structure: Structure): Promise<CallToolResult> {
  // A failed call has no structured content to check.
  if (whole.isError === true) return whole
  const valid = requireValid(await plan.validate(whole.structuredContent))
  return { ...whole, structuredContent: adapt(plan, valid, structure).value }
}

function requireValid(validation: Validation): JSONForm {
  if (validation.ok) return toJSONForm(validation.value)
  const places = validation.issues.map(({ message }) => message).join('; ')
  throw new TypeError(`It returned something that does not fit its output schema: ${places}`)
}

function adapt({ isWrapped }: OutputPlan, form: JSONForm, structure: Structure): JSONForm {
  return isWrapped && structure === 'objects' ? wrapForm(form) : form
}

/** The schema of `{ result: … }`. References within the schema still have to find their targets one level down. */
function wrapSchema(schema: ToolOutputSchema): ToolOutputSchema {
  const { $schema, ...inner } = schema
  return freezeJSON({
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result: '$id' in inner ? inner : moveReferences(inner) },
    required: ['result'],
  })
}

/** Keywords whose values are data, however much these look like schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

function moveReferences(schema: JSONObject): JSONObject {
  const entries = Object.entries(schema).map(([key, value]) => [key, DATA_KEYWORDS.has(key) ? value : move(key, value)])
  return Object.fromEntries(entries)
}

function move(key: string, value: unknown): unknown {
  if (key === '$ref' && (value === '#' || (typeof value === 'string' && value.startsWith('#/')))) {
    return `#/properties/result${value.slice(1)}`
  }
  if (Array.isArray(value)) return value.map((item) => move('', item))
  return isPlainObject(value) ? moveReferences(value) : value
}

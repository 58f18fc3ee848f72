// Makes what a callback says to a form fit to be sent: defaults filled in, checked, nothing where nothing belongs.
import type { SchemaEngine } from '../schema/engine.ts'
import type { ElicitRequestedSchema, ElicitRequestParams, ElicitResult } from '../types/elicitation.ts'
import type { JSONObject } from '../types/json.ts'

/** The answer as it goes to the server, or why it must not go there. */
export type ElicitationAnswer =
  | { readonly ok: true; readonly result: ElicitResult }
  | { readonly ok: false; readonly problem: string }

export function completeAnswer(
  params: ElicitRequestParams,
  answer: ElicitResult,
  engine: SchemaEngine,
): ElicitationAnswer {
  // Spec, Elicitation: only an accepted form has content.
  if (answer.action !== 'accept' || params.mode === 'url') {
    const { content: _content, ...result } = answer
    return { ok: true, result }
  }
  const content = fillDefaults(params.requestedSchema, answer.content ?? {})
  const problem = findProblem(params.requestedSchema, content, engine)
  if (problem !== undefined) return { ok: false, problem }
  return { ok: true, result: { ...answer, content: content as NonNullable<ElicitResult['content']> } }
}

/** Fields that were left out get the default that the form gives them (SEP-1034). */
function fillDefaults({ properties }: ElicitRequestedSchema, content: JSONObject): JSONObject {
  const missing = Object.entries(properties).filter(
    ([field, schema]) => !Object.hasOwn(content, field) && schema.default !== undefined,
  )
  if (missing.length === 0) return content
  // From entries, because a server may well call a field `__proto__`.
  return Object.fromEntries([...Object.entries(content), ...missing.map(([field, schema]) => [field, schema.default])])
}

function findProblem(schema: ElicitRequestedSchema, content: JSONObject, engine: SchemaEngine): string | undefined {
  try {
    return engine.compile(schema as unknown as JSONObject).validate(content)[0]?.message
  } catch {
    return 'the requested schema is unusable or too costly'
  }
}

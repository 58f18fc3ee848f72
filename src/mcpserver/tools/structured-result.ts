// Holds what a tool returns against its output schema. A client checks structured output again: client/session/tool-catalog.ts.

import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { withHelp } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { Validation } from '../../schema/json-schema.ts'
import type { JSONForm, PlainResult } from '../../server/results/respond.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { Structure } from '../values/listed.ts'
import { toJSONForm } from '../values/plain-json.ts'
import { toPlainResult, toWholeResult, wrapForm } from '../values/results.ts'
import type { OutputPlan } from './output.ts'

/** The result for a returned value. `TypeError`, which names the paths, if the value does not fit the schema. */
export function toStructuredResult(
  plan: OutputPlan,
  value: unknown,
  structure: Structure,
): MaybePromise<PlainResult | CallToolResult> {
  const whole = isExplicitResult(value) ? toWholeResult(value) : undefined
  if (whole !== undefined) return validateWholeResult(plan, whole, structure)
  return whenDone<Validation, PlainResult | CallToolResult>(plan.validate(value), (validation) => {
    // A value that fits the schema is data, even if it looks like a whole result.
    const result = validation.ok ? undefined : toWholeResult(value)
    if (result !== undefined) return validateWholeResult(plan, result, structure)
    const valid = requireValid(validation)
    return toPlainResult(valid.text, wrapFor(plan, valid, structure))
  })
}

/** Whether a value is meant as a whole result: an output may have a `content` list too, but not these members beside it. */
function isExplicitResult(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    Array.isArray(value['content']) &&
    (value['isError'] === true || 'structuredContent' in value)
  )
}

async function validateWholeResult(
  plan: OutputPlan,
  whole: CallToolResult,
  structure: Structure,
): Promise<CallToolResult> {
  // A failed call has no structured content.
  if (whole.isError === true) return whole
  const valid = requireValid(await plan.validate(whole.structuredContent))
  return { ...whole, structuredContent: wrapFor(plan, valid, structure).value }
}

function requireValid(validation: Validation): JSONForm {
  if (validation.ok) return toJSONForm(validation.value)
  const places = validation.issues.map(({ message }) => message).join('; ')
  throw withHelp(
    'output-mismatch',
    new TypeError(`The tool returned a value that does not fit its output schema: ${places}`),
  )
}

function wrapFor({ isWrapped }: OutputPlan, form: JSONForm, structure: Structure): JSONForm {
  return isWrapped && structure === 'objects' ? wrapForm(form) : form
}

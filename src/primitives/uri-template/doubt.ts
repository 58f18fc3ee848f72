// Templates that can be expanded but not read back for sure: one URI would have several readings, or none.
import { type Expression, parseTemplate, type TemplatePart } from './parse.ts'

/** Why a URI cannot be read back by this template, or `undefined`. Throws `UriTemplateError` for what is no template at all. */
export function findTemplateDoubt(text: string): string | undefined {
  const parts = parseTemplate(text)
  const seen = new Set<string>()
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string') continue
    const before = parts[at - 1]
    if (isExpression(before) && part.operator.lead === '') {
      return `nothing separates {${lastName(before)}} from {${part.variables[0]?.name}}; put a literal between them`
    }
    for (const { name, prefixLength } of part.variables) {
      if (prefixLength !== undefined) return `{${name}:${prefixLength}} is only a part of its value; use {${name}}`
      if (seen.has(name)) return `the variable ${name} is used twice; give each place a name of its own`
      seen.add(name)
    }
  }
  return undefined
}

function isExpression(part: TemplatePart | undefined): part is Expression {
  return typeof part === 'object'
}

function lastName({ variables }: Expression): string | undefined {
  return variables.at(-1)?.name
}

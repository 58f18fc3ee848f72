// URI templates: rejected or parsed, without other errors; a match has values for the template's own variables only.
import fc from 'fast-check'
import { expandUriTemplate } from '../src/primitives/uri-template/expand.ts'
import { parseUriTemplate, type UriTemplate, UriTemplateError } from '../src/primitives/uri-template/uri-template.ts'
import { asProperty, demand, demandAlike, type FuzzTarget } from './target.ts'

const operator = fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&', '=', '!')
const variable = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'a.b', 'é', '%41', ''), fc.constantFrom('', '', '*', ':3', ':0', ':99999'))
  .map((parts) => parts.join(''))
const expression = fc
  .tuple(operator, fc.array(variable, { minLength: 1, maxLength: 3 }))
  .map(([sign, variables]) => `{${sign}${variables.join(',')}}`)
const literal = fc.constantFrom(
  'x://',
  '/',
  '-',
  'aa',
  '?q=',
  '&',
  '#',
  '%2F',
  '%2f',
  '%',
  '{',
  '}',
  'é',
  '\n',
  ',',
  '=',
)
const template = fc.array(fc.oneof(literal, expression), { maxLength: 6 }).map((parts) => parts.join(''))
const piece = fc.constantFrom(
  ...['x://', '/', '-', 'a', 'aa', 'b', '?q=', '?a=', '&b=', '#', '%2F', '%2f', '%', '%ZZ', 'é', '😀', '\ud800', ','],
  ...['=', ';a=', '.', '..', '\n', '\0', 'x'.repeat(50)],
)
const uri = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''))

function parse(text: string): UriTemplate | undefined {
  try {
    return parseUriTemplate(text)
  } catch (error) {
    if (error instanceof UriTemplateError) return undefined
    throw error
  }
}

export const templatesTarget: FuzzTarget = {
  name: 'templates',
  about: 'URI templates are rejected or parsed; matching never throws and returns only the variables of the template',
  runs: 20_000,
  property: asProperty(
    fc.property(template, uri, fc.dictionary(fc.constantFrom('a', 'b', 'c'), uri), (text, address, values) => {
      const parsed = parse(text)
      if (parsed === undefined) return
      const names = new Set(parsed.variableNames)
      for (const candidate of [address, expandUriTemplate(text, values)]) {
        const found = parsed.match(candidate)
        if (found === undefined) continue
        for (const name of Object.keys(found)) demand(names.has(name), `found a variable ${name}`)
        const upper = candidate.replace(/%[0-9a-f]{2}/gi, (triplet) => triplet.toUpperCase())
        demandAlike(parsed.match(upper), found, 'another match in capitals')
      }
    }),
  ),
}

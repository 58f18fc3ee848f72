// Members of a request's body, each checked.
import { BadRequest } from '../log/bad-request.ts'

export type Body = Readonly<Record<string, unknown>>

const MAX_TEXT = 64 * 1024

export function readText(body: Body, name: string): string {
  const text = readOptionalText(body, name)
  if (text === undefined || text === '') throw new BadRequest(`${name} is missing.`)
  return text
}

export function readOptionalText(body: Body, name: string): string | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value.length > MAX_TEXT) throw new BadRequest(`${name} must be a text.`)
  return value
}

export function readChoice<const Choice extends string>(
  body: Body,
  name: string,
  choices: readonly Choice[],
  otherwise?: Choice,
): Choice {
  const value = body[name] ?? otherwise
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw new BadRequest(`${name} must be one of: ${choices.join(', ')}.`)
  return found
}

export function readMembers(body: Body, name: string, otherwise?: object): Record<string, unknown> {
  const value = body[name] ?? otherwise
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadRequest(`${name} must be an object.`)
  }
  return value as Record<string, unknown>
}

/** RFC 9110, 5.6.2: a token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/
const MAX_HEADERS = 50

export function readHeaders(body: Body, name: string): Record<string, string> {
  const rows: unknown = body[name] ?? []
  if (!Array.isArray(rows) || rows.length > MAX_HEADERS) throw new BadRequest(`${name} must be a short list.`)
  const headers: Record<string, string> = {}
  for (const row of rows as { name?: unknown; value?: unknown }[]) {
    const { name: header, value } = row ?? {}
    if (typeof header !== 'string' || !HEADER_NAME.test(header)) {
      throw new BadRequest(`${JSON.stringify(header) ?? 'A header'} is not the name of a header.`)
    }
    if (typeof value !== 'string' || !HEADER_VALUE.test(value)) {
      throw new BadRequest(`The value of the header ${header} has characters that a header can't hold.`)
    }
    headers[header] = value
  }
  return headers
}

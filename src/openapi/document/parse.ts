// The text of a document as a value: JSON, or YAML without tags and with bounded aliases.

import { findBreach } from '../../primitives/json/json-scan.ts'
import { loading } from '../../primitives/loading.ts'
import { OpenAPIError } from './openapi-error.ts'
import { MAX_DEPTH } from './survey.ts'

export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
const MAX_ELEMENTS = 10_000_000
/** Aliases may make a document so many times as large as it is written. */
const MAX_EXPANSION = 100

const encoder = new TextEncoder()

/** `name` is how errors call the document. */
export async function parseText(text: string, name: string): Promise<unknown> {
  if (isTooLarge(text)) throw tooLarge(name)
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  return /^\s*[{[]/.test(body) ? parseJSON(body, name) : parseYAML(body, name)
}

/** A character has one to three bytes for each unit of its length: most texts need not be counted. */
function isTooLarge(text: string): boolean {
  if (text.length > MAX_DOCUMENT_BYTES) return true
  return text.length > MAX_DOCUMENT_BYTES / 3 && encoder.encode(text).length > MAX_DOCUMENT_BYTES
}

export function tooLarge(name: string): OpenAPIError {
  return new OpenAPIError(`${name} is larger than ${MAX_DOCUMENT_BYTES} bytes, which is the limit.`)
}

function parseJSON(text: string, name: string): unknown {
  const bytes = encoder.encode(text)
  const breach = findBreach(bytes, { maxDepth: MAX_DEPTH, maxElements: MAX_ELEMENTS })
  if (breach === 'maxDepth') throw new OpenAPIError(`${name} nests deeper than ${MAX_DEPTH} levels.`)
  if (breach === 'maxElements') throw new OpenAPIError(`${name} has more than ${MAX_ELEMENTS} values.`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('\n') : []
    throw new OpenAPIError(`${name} begins like JSON and is none: ${reason}`, '#', { cause })
  }
}

async function parseYAML(text: string, name: string): Promise<unknown> {
  const { readYAML, YAMLError } = await loading(import('../../primitives/read-yaml.ts'))
  try {
    return readYAML(text, { maxDepth: MAX_DEPTH, maxExpansion: MAX_EXPANSION })
  } catch (cause) {
    if (!(cause instanceof YAMLError)) throw cause
    throw new OpenAPIError(`${name} is not YAML that can be read: ${cause.message} (line ${cause.line}).`, '#', {
      cause,
    })
  }
}

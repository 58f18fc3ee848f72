// The front matter of a SKILL.md: where it starts and ends, what it says, and the rules for its fields.
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { readYAML, YAMLError } from '../../../primitives/read-yaml.ts'
import type { SkillFrontMatter } from '../../../types/extensions/skills.ts'
import { findNameFlaw } from './skill-uri.ts'

/** A YAML text of this size is read in less than 0.1 s, however it is written. */
const MAX_CHARACTERS = 64 * 1024
const MAX_DESCRIPTION_LENGTH = 1024
const RESERVED_PREFIX = 'io.modelcontextprotocol/'

const FENCE = /^---[ \t]*\r?\n/
const END = /^---[ \t]*\r?$/m

/** What is wrong with the front matter, and where. */
export class FrontMatterError extends Error {
  /** The line of the file, from 1 on. */
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

export interface SkillText {
  readonly frontmatter: SkillFrontMatter
  readonly body: string
}

/** Reads the text of a `SKILL.md`. Throws `FrontMatterError` for a front matter that is missing, broken or incomplete. */
export function readSkillText(text: string): SkillText {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const fence = FENCE.exec(text.slice(start, start + MAX_CHARACTERS))?.[0]
  if (fence === undefined) throw new FrontMatterError("the file doesn't start with a line of three hyphens", 1)
  const from = start + fence.length
  const yaml = text.slice(from, from + MAX_CHARACTERS)
  const end = END.exec(yaml)
  if (end === null) {
    const isLong = text.length > from + MAX_CHARACTERS
    const limit = isLong ? ` within ${MAX_CHARACTERS} characters` : ''
    throw new FrontMatterError(`the front matter has no end, which is a line of three hyphens,${limit}`, 1)
  }
  const body = text.slice(from + end.index + end[0].length).replace(/^\n/, '')
  const source = yaml.slice(0, end.index)
  return { frontmatter: checkFields(parse(source), source), body }
}

function parse(source: string): unknown {
  try {
    return readYAML(source)
  } catch (error) {
    // The fence is line 1.
    if (error instanceof YAMLError) throw new FrontMatterError(withAdvice(error.message), error.line + 1)
    throw error
  }
}

/** A value with a colon and a space in it reads as another field. Its author sees nothing wrong with the indentation. */
function withAdvice(message: string): string {
  if (!message.startsWith('bad indentation')) return message
  return `${message}. If a value contains ': ', put the value in quotes`
}

function checkFields(value: unknown, source: string): SkillFrontMatter {
  if (!isPlainObject(value))
    throw new FrontMatterError('the front matter has no fields, such as name and description', 2)
  const flaw = findFrontMatterFlaw(value)
  if (flaw !== undefined) throw new FrontMatterError(flaw.reason, lineOf(flaw.field, source))
  return value as SkillFrontMatter
}

interface FieldFlaw {
  readonly field: string
  readonly reason: string
}

/** What is wrong with the fields of a front matter, as the end of a sentence; or `undefined`. */
export function findFrontMatterFlaw(fields: Record<string, unknown>): FieldFlaw | undefined {
  const { name, description, metadata } = fields
  if (!Object.hasOwn(fields, 'name')) return { field: 'name', reason: 'name is missing' }
  const nameFlaw = findNameFlaw(name)
  if (nameFlaw !== undefined) return { field: 'name', reason: `name can't be used: ${nameFlaw}` }
  if (!Object.hasOwn(fields, 'description')) return { field: 'description', reason: 'description is missing' }
  if (typeof description !== 'string' || description.trim() === '') {
    return { field: 'description', reason: 'description is not a text' }
  }
  if (description.length > MAX_DESCRIPTION_LENGTH) {
    return { field: 'description', reason: `description is longer than ${MAX_DESCRIPTION_LENGTH} characters` }
  }
  const reserved = isPlainObject(metadata) && Object.keys(metadata).find((key) => key.startsWith(RESERVED_PREFIX))
  if (typeof reserved === 'string') return { field: 'metadata', reason: `metadata has the reserved key ${reserved}` }
  return undefined
}

/** The line of the file that a field is on; 1 if it is not there. */
function lineOf(field: string, source: string): number {
  const lines = source.split('\n')
  const found = lines.findIndex((line) => line.startsWith(field) || line.startsWith(`"${field}"`))
  return found === -1 ? 1 : found + 2
}

/** A `SKILL.md` with these fields. JSON strings are YAML strings, so each value is written as JSON. */
export function writeSkillText(fields: Record<string, unknown>, body: string): string {
  const lines = Object.entries(fields).map(([field, value]) => `${JSON.stringify(field)}: ${JSON.stringify(value)}`)
  return ['---', ...lines, '---', '', body].join('\n')
}

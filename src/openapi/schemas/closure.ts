// A schema with the definitions that it reaches, the nearest first, up to a size that lists and engines can bear.
import { type Members, setMember } from '../document/members.ts'
import type { Converted, Direction, SchemaConverter } from './converter.ts'

/** Engines read schemas of up to 256 KiB and 2,000 parts; what is listed must leave room. */
const MAX_SIZE = 96 * 1024
const MAX_COUNT = 1_500

/** In place of what did not fit: any value is allowed there, and the API decides. */
const NOT_LISTED = Object.freeze({ description: 'Not described here: the whole schema is too large.' })

export interface Closure {
  /** `$defs`; `undefined` where nothing is referred to. */
  readonly definitions: Members | undefined
  readonly notes: ReadonlySet<string>
}

/** Throws `MappingProblem` where a definition cannot be converted. */
export function closeOver(converter: SchemaConverter, direction: Direction, parts: readonly Converted[]): Closure {
  const notes = new Set(parts.flatMap((part) => [...part.notes]))
  let size = parts.reduce((sum, part) => sum + part.size, 0)
  let count = parts.reduce((sum, part) => sum + part.count, 0)
  const queue = [...new Set(parts.flatMap((part) => [...part.references]))]
  if (queue.length === 0) return { definitions: undefined, notes }
  const seen = new Set(queue)
  const definitions: Members = {}
  for (const name of queue) {
    const definition = converter.definition(name, direction)
    if (size + definition.size > MAX_SIZE || count + definition.count > MAX_COUNT) {
      setMember(definitions, name, NOT_LISTED)
      notes.add('definitions were left open, because the schema is too large')
      continue
    }
    size += definition.size
    count += definition.count
    setMember(definitions, name, definition.schema)
    for (const note of definition.notes) notes.add(note)
    for (const reference of definition.references) {
      if (seen.has(reference)) continue
      seen.add(reference)
      queue.push(reference)
    }
  }
  return { definitions, notes }
}

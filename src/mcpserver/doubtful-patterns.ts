// Patterns that a schema library matches by itself: nobody bounds them there, so their author should know which can block.
import { escapePointer, quote } from '../schema/issue.ts'
import { dangerOf } from '../schema/patterns.ts'
import type { Host } from './host.ts'

/** Keywords whose values are data, however much these look like schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])
/** Many tools share their patterns: those of ids, for instance. */
const MAX_KNOWN = 256
const known = new Map<string, string | undefined>()

/** Reports each pattern of the schema that as a JSON Schema would be refused. */
export function reportDoubtfulPatterns({ server }: Host, owner: string, schema: object): void {
  const path: string[] = []
  findPatterns(schema, path, (source) => {
    const danger = lookUp(source)
    if (danger === undefined) return
    const place = ['#', ...path.map(escapePointer)].join('/')
    const message =
      `The pattern ${quote(source)} at ${place} in the input of ${owner} ${danger}, and then one text of a caller ` +
      'blocks the whole process: simplify it'
    server.faults.report({ kind: 'configuration-warning', message })
  })
}

function lookUp(source: string): string | undefined {
  if (known.has(source)) return known.get(source)
  if (known.size >= MAX_KNOWN) known.clear()
  const danger = dangerOf(source)
  known.set(source, danger)
  return danger
}

/** Tells every pattern that an author wrote: those of formats are the library's own. */
function findPatterns(schema: object, path: string[], onFound: (source: string) => void): void {
  for (const key of Object.keys(schema)) {
    const value = (schema as Record<string, unknown>)[key]
    path.push(key)
    if (key === 'pattern' && typeof value === 'string') {
      if (!('format' in schema)) onFound(value)
    } else if (typeof value === 'object' && value !== null && !DATA_KEYWORDS.has(key)) {
      if (key === 'patternProperties') Object.keys(value).forEach(onFound)
      findPatterns(value, path, onFound)
    }
    path.pop()
  }
}

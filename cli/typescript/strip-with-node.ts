// Type stripping by Node: it replaces types by spaces, so lines and columns stay.
import * as nodeModule from 'node:module'
import type { ModuleFormat } from './module-format.ts'
import { blankText } from './source-text.ts'
import { withoutWarnings } from './warnings.ts'

const { stripTypeScriptTypes } = nodeModule as unknown as {
  /** Since Node 22.13. */
  stripTypeScriptTypes?: (text: string) => string
}

export interface StripOptions {
  format: ModuleFormat
  keepsUnusedImports: boolean
}

/** `undefined` where stripping is not enough: enums, parameter properties, imports of types without the word `type`. */
export function stripWithNode(text: string, { format, keepsUnusedImports }: StripOptions): string | undefined {
  if (stripTypeScriptTypes === undefined) return undefined
  // TypeScript writes CommonJS with `import`.
  if (format === 'commonjs' && /^\s*(?:import|export)\b/m.test(text)) return undefined
  let stripped: string
  try {
    stripped = withoutWarnings(() => stripTypeScriptTypes(text))
  } catch {
    // The built-in loader says where a syntax error is.
    return undefined
  }
  return !keepsUnusedImports && hasUnusedImport(stripped) ? undefined : stripped
}

const IMPORT = /^[ \t]*import\s+(?!type\b)([^'"`;()]+?)\s+from\b/gm
const NAME = /(?:^|[{,*])\s*(?:[^{},*]*?\sas\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?=[,}]|$)/gu

/** A name that occurs in its import alone: it may be a type, and a type cannot be imported at run time. */
function hasUnusedImport(stripped: string): boolean {
  const code = blankText(stripped)
  const clauses = [...code.matchAll(IMPORT)].map(([, clause = '']) => clause)
  if (clauses.length === 0) return false
  const rest = code.replace(IMPORT, '')
  const used = new Set(rest.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))
  return clauses.some((clause) => [...clause.matchAll(NAME)].some(([, name = '']) => !used.has(name)))
}

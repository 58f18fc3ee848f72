// The names that a source file exports, types included, read from its text: modules tell of their values only.
import { readFileSync } from 'node:fs'

export interface ExportedNames {
  readonly values: readonly string[]
  /** Those that are types and no values. */
  readonly types: readonly string[]
}

/** `export { a, type B } from '…'`, `export type { B } from '…'` and `export type * from '…'`. */
const FROM = /^export (type )?(?:\{([^}]*)\}|(\*)) from '([^']+)'/gm
const DECLARATION = /^export (?:declare )?(?:abstract )?(?:async )?(interface|type|class|const|function) \*?(\w+)/gm

/** Throws for a way to export that it cannot read, so that nothing is left out in silence. */
export function readExportedNames(file: URL): ExportedNames {
  const values = new Set<string>()
  const types = new Set<string>()
  const text = readFileSync(file, 'utf8')
  let read = 0
  for (const [, isType, list, , from = ''] of text.matchAll(FROM)) {
    read++
    if (list === undefined) addAll(readExportedNames(new URL(from, file)), isType !== undefined)
    else for (const item of splitList(list)) add(item, isType !== undefined)
  }
  for (const [, keyword, name = ''] of text.matchAll(DECLARATION)) {
    read++
    const isType = keyword === 'interface' || keyword === 'type'
    ;(isType ? types : values).add(name)
  }
  const statements = text.match(/^export /gm)?.length ?? 0
  if (read !== statements) throw new Error(`${file.pathname} has ${statements} exports, of which ${read} can be read`)
  return { values: [...values].sort(), types: [...types].filter((name) => !values.has(name)).sort() }

  function addAll(names: ExportedNames, asTypes: boolean): void {
    for (const name of names.values) (asTypes ? types : values).add(name)
    for (const name of names.types) types.add(name)
  }

  function add(item: string, asType: boolean): void {
    const [, isType, name = ''] = /^(type )?(?:\w+ as )?(\w+)$/.exec(item) ?? []
    ;(asType || isType !== undefined ? types : values).add(name)
  }
}

function splitList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

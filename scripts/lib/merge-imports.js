// What is put together from many files imports each name by a statement, or on a line, of its own. One statement for each file says the
// same in less.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const IMPORT = /^import \{\s*([\w$,\s]*?),?\s*\} from ("\.{1,2}\/[^"]+");\n/gm
const MAX_LINE = 120

/** Rewrites the files of a folder, in nested folders too. */
export function mergeImports(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue
    const file = join(folder, name)
    writeFileSync(file, withMergedImports(readFileSync(file, 'utf8')))
  }
}

/** Each file is imported where it first was, so that all are evaluated in the same order. */
export function withMergedImports(code) {
  const names = new Map()
  for (const [, list, from] of code.matchAll(IMPORT))
    names.set(from, [...(names.get(from) ?? []), ...list.split(/,\s*/)])
  const written = new Set()
  const merged = code.replaceAll(IMPORT, (_statement, _list, from) => {
    if (written.has(from)) return ''
    written.add(from)
    return `import {${wrap(names.get(from))}} from ${from};\n`
  })
  return merged
    .replaceAll(/;\n{2,}(?=(?:import|var|class|function|async function|export) )/g, ';\n')
    .replace(/^\n+/, '')
}

function wrap(names) {
  const lines = ['']
  for (const name of names) {
    if (lines.at(-1).length + name.length > MAX_LINE) lines.push('')
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${name},`
  }
  return lines.length === 1 ? ` ${lines[0].slice(0, -1)} ` : `\n\t${lines.join('\n\t')}\n`
}

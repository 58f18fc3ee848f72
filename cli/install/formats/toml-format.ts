// Config files in TOML. An entry is a table of its own with its sub-tables, added at the end and removed as whole lines.

import { brokenAt } from '../../files/broken-file.ts'
import { parse, stringify, TomlError } from '../../packages/smol-toml.ts'
import { isPlainObject } from '../../terminal/primitives.ts'
import {
  assertOnlyChanged,
  type ConfigFormat,
  cannotEdit,
  type EntryChange,
  type Members,
  type ParsedConfig,
} from './config-format.ts'
import { changedLines } from './line-diff.ts'
import { maskEntry } from './secrets.ts'

export const toml: ConfigFormat = { name: 'toml', parse: parseToml }

function parseToml(path: string, text: string): ParsedConfig {
  const value = readToml(path, text)
  return {
    path,
    text,
    value,
    serversUnder: (key) => {
      const servers = value[key]
      if (servers === undefined || isPlainObject(servers)) return servers
      throw brokenAt({ path, text }, Math.max(0, text.indexOf(key)), `'${key}' is not a table`)
    },
    change(change) {
      const after = edit(text, change)
      const parsed = readBack(path, after)
      assertOnlyChanged(this, parsed.value, change)
      return parsed
    },
    describe(change) {
      this.change(change)
      const old = this.serversUnder(change.serversKey)?.[change.name]
      return changedLines(
        old === undefined ? '' : render(change, maskEntry(old) as Members),
        change.next === undefined ? '' : render(change, maskEntry(change.next) as Members),
      )
    },
  }
}

const MAX_DEPTH = 100

function readToml(path: string, text: string): Members {
  try {
    return parse(text, { maxDepth: MAX_DEPTH, integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw brokenAt(
      { path, text },
      offsetOf(text, error.line, error.column),
      `it is not TOML (${reason.replaceAll(/["'`].*["'`]/g, '…')})`,
    )
  }
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1)
  return Math.min(text.length, before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1)
}

/** An edit that made no TOML of it is refused like one that changed too much. */
function readBack(path: string, text: string): ParsedConfig {
  try {
    return parseToml(path, text)
  } catch (error) {
    throw cannotEdit(path, error)
  }
}

function edit(text: string, change: EntryChange): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const { kept, at } = withoutEntry(text.split(/\r?\n/), change)
  if (change.next === undefined) return kept.join(lineEnd)
  const block = render(change, change.next).trimEnd().split('\n')
  if (at !== undefined) return [...kept.slice(0, at), ...block, ...kept.slice(at)].join(lineEnd)
  while (kept.at(-1)?.trim() === '') kept.pop()
  return [...kept, ...(kept.length === 0 ? [] : ['']), ...block, ''].join(lineEnd)
}

/** A header with a quoted name where it needs one, then values, then sub-tables such as the environment. */
function render({ serversKey, name }: EntryChange, entry: Members): string {
  const text = stringify(Object.fromEntries([[serversKey, Object.fromEntries([[name, entry]])]]))
  const lines = text.split('\n')
  // The table around it has no values of its own, and stands in the file already.
  return lines
    .slice(lines[0] === `[${serversKey}]` ? 1 : 0)
    .join('\n')
    .replace(/^\n+/, '')
}

interface Cut {
  kept: string[]
  /** Where the entry was. */
  at: number | undefined
}

/** Comments above the next header belong to that one, and stay. */
function withoutEntry(lines: readonly string[], { serversKey, name }: EntryChange): Cut {
  const kept: string[] = []
  let at: number | undefined
  let held: string[] | undefined
  for (const line of lines) {
    const path = headerOf(line)
    if (path !== undefined) {
      const isOurs = path[0] === serversKey && path[1] === name
      if (held !== undefined && !isOurs) kept.push(...held)
      if (isOurs) at ??= kept.length
      held = isOurs ? [] : undefined
      if (isOurs) continue
    }
    if (held === undefined) kept.push(line)
    else if (/^\s*(?:#.*)?$/.test(line)) held.push(line)
    else held = []
  }
  if (held !== undefined) kept.push(...held)
  return { kept, at }
}

/** The names in `[a."b.c"]`; `undefined` for lines that are no header. */
function headerOf(line: string): string[] | undefined {
  if (!/^\s*\[/.test(line)) return undefined
  try {
    const path: string[] = []
    let value: unknown = parse(line)
    while (isPlainObject(value) && Object.keys(value).length === 1) {
      const [key = ''] = Object.keys(value)
      path.push(key)
      const member: unknown = value[key]
      value = Array.isArray(member) ? member[0] : member
    }
    return path
  } catch {
    return undefined
  }
}

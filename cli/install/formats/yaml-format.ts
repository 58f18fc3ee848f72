// Config files in YAML. An entry is added below the last one of its list, and removed as whole lines.
import { dump, FAILSAFE_SCHEMA, JSON_SCHEMA, load, YAMLException } from 'js-yaml'
import { brokenAt } from '../../files/broken-file.ts'
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

export const yaml: ConfigFormat = { name: 'yaml', parse: parseYaml }

function parseYaml(path: string, text: string): ParsedConfig {
  const value = readYaml(path, text)
  return {
    path,
    text,
    value,
    serversUnder: (key) => {
      const servers = value[key]
      if (servers === undefined || servers === null) return undefined
      if (isPlainObject(servers)) return servers
      throw brokenAt({ path, text }, Math.max(0, text.indexOf(key)), `'${key}' is not a mapping`)
    },
    change(change) {
      const parsed = readBack(path, edit(text, change))
      assertOnlyChanged(this, parsed.value, change)
      return parsed
    },
    describe(change) {
      this.change(change)
      const old = this.serversUnder(change.serversKey)?.[change.name]
      const lines = (entry: unknown) =>
        `${change.serversKey}:\n${render(change.name, maskEntry(entry), '  ').join('\n')}\n`
      return changedLines(old === undefined ? '' : lines(old), change.next === undefined ? '' : lines(change.next))
    },
  }
}

const MAX_DEPTH = 100

function readYaml(path: string, text: string): Members {
  let value: unknown
  try {
    value = load(text, { schema: JSON_SCHEMA, maxDepth: MAX_DEPTH })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    throw brokenAt(
      { path, text },
      error.mark?.position ?? 0,
      `it is not YAML (${error.reason.replaceAll(/["'`<].*["'`>]/g, '…')})`,
    )
  }
  if (value === undefined || value === null) return {}
  if (isPlainObject(value)) return value
  throw brokenAt({ path, text }, 0, 'the top level is not a mapping')
}

function readBack(path: string, text: string): ParsedConfig {
  try {
    return parseYaml(path, text)
  } catch (error) {
    throw cannotEdit(path, error)
  }
}

function edit(text: string, change: EntryChange): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const list = findList(lines, change.serversKey)
  return (list === undefined ? appended(lines, change) : withinList(lines, list, change)).join(lineEnd)
}

interface List {
  /** The line with the key. */
  header: number
  /** Behind its last line. */
  end: number
  indent: string
}

/** A mapping in block style whose key starts a line. `key: {}` counts as an empty one. */
function findList(lines: readonly string[], key: string): List | undefined {
  const header = lines.findIndex((line) => keyOf(line)?.name === key && keyOf(line)?.indent === '')
  if (header === -1) return undefined
  let end = header + 1
  for (let index = header + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (isBlank(line)) continue
    if (!/^[ \t]/.test(line)) break
    end = index + 1
  }
  const first = lines.slice(header + 1, end).find((line) => !isBlank(line))
  return { header, end, indent: /^ */.exec(first ?? '')?.[0] || '  ' }
}

function appended(lines: readonly string[], { serversKey, name, next }: EntryChange): string[] {
  const kept = [...lines]
  while (kept.at(-1)?.trim() === '') kept.pop()
  return [...kept, `${serversKey}:`, ...render(name, next, '  '), '']
}

function withinList(lines: readonly string[], { header, end, indent }: List, change: EntryChange): string[] {
  const { name, next, serversKey } = change
  const inner = lines.slice(header + 1, end)
  const start = inner.findIndex((line) => keyOf(line)?.name === name && keyOf(line)?.indent === indent)
  const after = start === -1 ? inner.length : endOfEntry(inner, start, indent)
  const rest = start === -1 ? inner : [...inner.slice(0, start), ...inner.slice(after)]
  const at = start === -1 ? inner.length : start
  const block = next === undefined ? [] : render(name, next, indent)
  const entries = [...rest.slice(0, at), ...block, ...rest.slice(at)]
  const hasEntries = entries.some((line) => !isBlank(line))
  const isBare = /^[^#]*:\s*(?:\{\s*\})?\s*(?:#.*)?$/.test(lines[header] ?? '')
  const comment = / +#.*$/.exec(lines[header] ?? '')?.[0] ?? ''
  const title = isBare ? `${serversKey}:${hasEntries ? '' : ' {}'}${comment}` : (lines[header] ?? '')
  return [...lines.slice(0, header), title, ...entries, ...lines.slice(end)]
}

/** Behind the last line of an entry. Comments above the next one belong to that, and stay. */
function endOfEntry(lines: readonly string[], start: number, indent: string): number {
  let end = start + 1
  for (let index = start + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (isBlank(line)) continue
    if ((/^ */.exec(line)?.[0].length ?? 0) <= indent.length) break
    end = index + 1
  }
  return end
}

/** The key of a line such as `name:` or `"a b": {}`. */
function keyOf(line: string): { name: string; indent: string } | undefined {
  const [, indent = '', key] = KEY_LINE.exec(line) ?? []
  if (key === undefined) return undefined
  try {
    return { name: String(load(key, { schema: FAILSAFE_SCHEMA })), indent }
  } catch {
    return undefined
  }
}

const KEY_LINE = /^( *)("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^ \t#'"](?:(?!:(?:[ \t]|$)| #).)*):(?:[ \t]|$)/u

function isBlank(line: string): boolean {
  return /^[ \t]*(?:#.*)?$/.test(line)
}

function render(name: string, entry: unknown, indent: string): string[] {
  const text = dump(Object.fromEntries([[name, entry]]), { lineWidth: -1, schema: JSON_SCHEMA, indent: 2 })
  // No more than the line end: a value may end with a space of another kind.
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' ? line : indent + line))
}

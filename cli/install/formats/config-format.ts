// The formats of config files. Each is parsed to plain values, and changed in its text, one entry at a time.
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../../terminal/failure.ts'
import type { ConfigEdit } from './config-edit.ts'

export type FormatName = 'json' | 'toml' | 'yaml'

export type Members = Record<string, unknown>

/** One server of a file. `next` is `undefined` where it is removed. */
export interface EntryChange {
  readonly serversKey: string
  readonly name: string
  readonly next: Members | undefined
  /** The same change as the fewest edits. */
  readonly edits: readonly ConfigEdit[]
}

/** The text of a file, parsed. */
export interface ParsedConfig {
  readonly path: string
  readonly text: string
  readonly value: Members
  /** The list under a key; `undefined` where there is none. Anything else there fails, with its place. */
  serversUnder(key: string): Members | undefined
  /** Fails where the file cannot be changed without touching anything else. */
  change(change: EntryChange): ParsedConfig
  /** What the change removes and adds, without values that may be secrets. */
  describe(change: EntryChange): string[]
}

export interface ConfigFormat {
  readonly name: FormatName
  /** Fails with the place of the first fault. */
  parse(path: string, text: string): ParsedConfig
}

/** Fails unless an edit of the text has made exactly the change: these files belong to others. */
export function assertOnlyChanged(before: ParsedConfig, after: Members, change: EntryChange): void {
  if (isDeepStrictEqual(normalized(after), normalized(withChange(before.value, change)))) return
  throw cannotEdit(before.path)
}

export function cannotEdit(path: string, cause?: unknown): Failure {
  return new Failure(`${path} has a layout that cannot be edited safely. Nothing was changed.`, {
    hint: 'Change the file by hand. Use --dry-run with --config and a new file to see the entry.',
    ...(cause !== undefined && { cause }),
  })
}

function withChange(value: Members, { serversKey, name, next }: EntryChange): Members {
  const servers = new Map(Object.entries((value[serversKey] as Members | null | undefined) ?? {}))
  if (next === undefined) servers.delete(name)
  else servers.set(name, next)
  const members = new Map(Object.entries(value))
  members.set(serversKey, Object.fromEntries(servers))
  return Object.fromEntries(members)
}

/** Plain objects, dates as text; an empty list counts as none. */
function normalized(value: Members): unknown {
  const plain = JSON.parse(
    JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member)),
  ) as Members
  return Object.fromEntries(
    Object.entries(plain).filter(
      ([, member]) => !(typeof member === 'object' && (member === null || Object.keys(member).length === 0)),
    ),
  )
}

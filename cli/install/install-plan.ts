// The edits that install a server in a file: none, a new entry, or a replaced entry.
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../terminal/failure.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { showLine } from '../terminal/terminal-text.ts'
import type { ConfigEdit } from './config-edit.ts'
import type { ConfigFile } from './config-file.ts'
import { brokenAt, type ConfigDocument, memberOf, toValue } from './config-text.ts'
import type { Host, HostScope } from './hosts.ts'
import { checkStrings, type ServerEntry } from './server-entry.ts'
import { serversUnder } from './servers-file.ts'

export interface InstallPlan {
  /** None where the server is there already. */
  edits: ConfigEdit[]
  /** The entry as it will be. */
  next: Record<string, unknown>
  replaces: boolean
  /** What of an entry that is replaced stays, by name. */
  kept: string[]
}

export interface PlanOptions extends HostScope {
  name: string
  entry: ServerEntry
  force?: boolean
  host: Host
  serversKey: string
}

type Members = Record<string, unknown>

/** What hosts call the environment. */
const ENV_KEYS = ['env', 'environment']

/** What says how to reach a server, in one host or another. Everything else in an entry is the host's or the user's. */
const OURS = new Set(['type', 'transport', 'source', 'command', 'args', 'url', 'serverUrl', 'headers', ...ENV_KEYS])

/** Fails where another entry has the name, unless it may be replaced. */
export function planInstall({ document, path }: ConfigFile, options: PlanOptions): InstallPlan {
  const { name, host, entry, serversKey } = options
  const servers = serversUnder(document, serversKey)
  if (servers === undefined) rejectBareList(document)
  const place = [serversKey, name] as const
  const rendered = host.render(name, entry, options)
  const node = memberOf(servers, name)
  if (node === undefined) {
    return { edits: [{ path: place, value: rendered }], next: rendered, replaces: false, kept: [] }
  }
  const old = toValue(node)
  if (isPlainObject(old) && isSameServer(old, rendered)) return { edits: [], next: old, replaces: false, kept: [] }
  if (!options.force) {
    throw new Failure(`${path} already has a server '${showLine(name)}': ${describeEntry(old)}.`, {
      hint: 'Use --force to replace it, or --name to give this one another name.',
    })
  }
  if (!isPlainObject(old))
    return { edits: [{ path: place, value: rendered }], next: rendered, replaces: true, kept: [] }
  return planReplacement(old, path, place, options)
}

/** The environment stays, because keys are often added to it by hand; headers go, because the new URL may be another's. */
function planReplacement(
  old: Members,
  path: string,
  place: readonly [string, string],
  options: PlanOptions,
): InstallPlan {
  const { name, host, entry } = options
  const oldEnv = ENV_KEYS.flatMap((key) =>
    Object.hasOwn(old, key) ? Object.entries(checkStrings(old[key], { file: path, server: name }, key)) : [],
  )
  const merged =
    'url' in entry ? entry : { ...entry, env: Object.fromEntries([...oldEnv, ...Object.entries(entry.env)]) }
  const rendered = host.render(name, merged, options)
  const others = Object.entries(old).filter(([key]) => !OURS.has(key) && !Object.hasOwn(rendered, key))
  const next = Object.fromEntries([...others, ...Object.entries(rendered)])
  const keptEnv = 'url' in entry ? [] : oldEnv.map(([key]) => key).filter((key) => !Object.hasOwn(entry.env, key))
  return {
    edits: difference(place, old, next),
    next,
    replaces: true,
    kept: [...others.map(([key]) => key), ...keptEnv.map((key) => `env ${key}`)],
  }
}

/** The fewest edits, so that comments in what stays the same stay too. */
function difference(path: readonly [string, ...string[]], old: Members, next: Members): ConfigEdit[] {
  const removed = Object.keys(old).filter((key) => !Object.hasOwn(next, key))
  const edits: ConfigEdit[] = removed.map((key) => ({ path: [...path, key], value: undefined }))
  for (const [key, value] of Object.entries(next)) {
    const before = Object.hasOwn(old, key) ? old[key] : undefined
    if (isPlainObject(before) && isPlainObject(value)) edits.push(...difference([...path, key], before, value))
    else if (!isDeepStrictEqual(before, value)) edits.push({ path: [...path, key], value })
  }
  return edits
}

function isSameServer(old: Members, rendered: Members): boolean {
  const relevant = Object.fromEntries(
    Object.entries(old).filter(([key]) => OURS.has(key) || Object.hasOwn(rendered, key)),
  )
  return isDeepStrictEqual(withoutDefaults(relevant), withoutDefaults(rendered))
}

/** Hosts write `"type": "stdio"`, `"args": []` and `"env": {}`, or leave them out. */
function withoutDefaults(entry: Members): Members {
  return Object.fromEntries(
    Object.entries(entry).filter(([key, value]) => {
      const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
      return !isEmpty && !(key === 'type' && value === 'stdio')
    }),
  )
}

/** Without anything that may be a secret: arguments and the query of a URL may be some too. */
function describeEntry(old: unknown): string {
  if (!isPlainObject(old)) return 'something that is not an object'
  const { command, url, args } = old
  const names = [...ENV_KEYS, 'headers'].flatMap((key) => (isPlainObject(old[key]) ? Object.keys(old[key]) : []))
  const what = typeof command === 'string' ? `the command '${showLine(command)}'` : describeEntryUrl(url)
  const count = Array.isArray(args) && args.length > 0 ? ` with ${args.length} arguments` : ''
  return `${what}${count}${names.length > 0 ? `, and values for ${names.map(showLine).join(', ')}` : ''}`
}

function describeEntryUrl(url: unknown): string {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'an entry of another form'
  const { origin, pathname } = new URL(url)
  return `the URL ${showLine(origin + pathname)}`
}

/** GitHub Copilot CLI also reads files that are the list itself; a second list beside it would hide the first. */
function rejectBareList(document: ConfigDocument): void {
  const values = Object.values(toValue(document.root) as Members)
  const isList =
    values.length > 0 && values.every((value) => isPlainObject(value) && ('command' in value || 'url' in value))
  if (isList)
    throw brokenAt(document, document.root.offset, 'it lists servers at its top level, without a key for them')
}

// The edits that install a server in a file: none, a new entry, or a replaced entry.
import { isDeepStrictEqual } from 'node:util'
import { brokenAt } from '../files/broken-file.ts'
import { Failure } from '../terminal/failure.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { showLine } from '../terminal/terminal-text.ts'
import type { ConfigEdit } from './formats/config-edit.ts'
import type { EntryChange, ParsedConfig } from './formats/config-format.ts'
import type { Host, HostScope } from './hosts.ts'
import { checkStrings, type ServerEntry } from './server-entry.ts'

export interface InstallPlan extends EntryChange {
  /** None where the server is there already. */
  edits: ConfigEdit[]
  /** The entry as it will be. */
  next: Members
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
const ENV_KEYS = ['env', 'environment', 'envs']

/** What says how to reach a server, in one host or another. Everything else in an entry is the host's or the user's. */
const OURS = new Set([
  'type',
  'transport',
  'source',
  'command',
  'cmd',
  'args',
  'url',
  'uri',
  'serverUrl',
  'headers',
  'http_headers',
  ...ENV_KEYS,
])

/** Fails where another entry has the name, unless it may be replaced. */
export function planInstall(config: ParsedConfig, options: PlanOptions): InstallPlan {
  const { name, host, entry, serversKey } = options
  const { path } = config
  const servers = config.serversUnder(serversKey)
  if (servers === undefined) rejectBareList(config)
  const place = [serversKey, name] as const
  const rendered = host.render(name, entry, options)
  const same = { serversKey, name, edits: [], replaces: false, kept: [] }
  const whole = { ...same, edits: [{ path: place, value: rendered }], next: rendered }
  if (servers === undefined || !Object.hasOwn(servers, name)) return whole
  const old = servers[name]
  if (isPlainObject(old) && isSameServer(old, rendered)) return { ...same, next: old }
  if (!options.force) {
    throw new Failure(`${path} already has a server '${showLine(name)}': ${describeEntry(old)}.`, {
      hint: 'Use --force to replace it, or --name to give this one another name.',
    })
  }
  if (!isPlainObject(old)) return { ...whole, replaces: true }
  return { ...same, ...planReplacement(old, path, place, options) }
}

/** The environment stays, because keys are often added to it by hand; headers go, because the new URL may be another's. */
function planReplacement(
  old: Members,
  path: string,
  place: readonly [string, string],
  options: PlanOptions,
): Omit<InstallPlan, 'serversKey' | 'name'> {
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
  const { command = old['cmd'], url = old['uri'], args } = old
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
function rejectBareList({ path, text, value }: ParsedConfig): void {
  const values = Object.values(value)
  const isList =
    values.length > 0 && values.every((member) => isPlainObject(member) && ('command' in member || 'url' in member))
  if (isList) {
    const start = Math.max(0, text.search(/\{/))
    throw brokenAt({ path, text }, start, 'it lists servers at its top level, without a key for them')
  }
}

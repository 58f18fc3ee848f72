// Reads the servers of an `mcpServers` object, or of a config file that holds one.

import { platform } from '#platform'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { loading } from '../../primitives/loading.ts'
import type { ClientOptions } from '../client-options.ts'
import type { ClientTarget } from '../opening/targets.ts'

/** An entry of `mcpServers`. Other keys belong to its host and are ignored. */
export interface ServerEntry {
  /** The program to start. Use either `command` or `url`. */
  command?: string | undefined
  /** The arguments of `command` (default: none). */
  args?: readonly string[] | undefined
  /** Environment variables of `command`, beside a small safe set of the current ones. */
  env?: Readonly<Record<string, string>> | undefined
  /** The working directory of `command` (default: that of this process). */
  cwd?: string | undefined
  /** The address of an HTTP server. Use either `url` or `command`. */
  url?: string | undefined
  /** Headers of every request to `url`, such as `Authorization`. */
  headers?: Readonly<Record<string, string>> | undefined
  /** The transport, such as `stdio`, `http` or `sse`. Derived from the other members if it is left out. */
  type?: string | undefined
  [foreign: string]: unknown
}

/** The common form, the form of VS Code, or the entries alone. */
export type ServerEntries =
  | {
      /** The servers by label, as Claude Desktop, Cursor and most hosts write them. */
      readonly mcpServers: Readonly<Record<string, ServerEntry>>
    }
  | {
      /** The servers by label, as VS Code writes them. */
      readonly servers: Readonly<Record<string, ServerEntry>>
    }
  | Readonly<Record<string, ServerEntry>>

export interface ConfiguredServer {
  readonly label: string
  readonly target: ClientTarget
  readonly options: Pick<ClientOptions, 'headers'>
}

export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[]
  /** Parts of the config that were ignored. */
  readonly warnings: readonly string[]
}

const MAX_FILE_BYTES = 1024 * 1024
const COMMAND_KEYS: ReadonlySet<string> = new Set(['type', 'command', 'args', 'env', 'cwd'])
const URL_KEYS: ReadonlySet<string> = new Set(['type', 'url', 'headers'])
const HTTP_TYPES: ReadonlySet<unknown> = new Set([undefined, 'http', 'streamable-http', 'streamableHttp'])

/** Throws `TypeError` for an entry that describes no server; everything else in it is a warning. */
export async function readConfiguredServers(source: string | ServerEntries): Promise<ConfiguredServers> {
  const place = typeof source === 'string' ? source : 'mcpServers'
  const entries = findEntries(typeof source === 'string' ? await readConfigFile(source) : source, place)
  const servers: ConfiguredServer[] = []
  const warnings: string[] = []
  for (const [label, entry] of Object.entries(entries)) {
    const where = `${place}: the server '${label}'`
    if (!isPlainObject(entry)) throw typeError('bad-server-config', `${where} must be an object with command or url`)
    if (isDisabled(entry)) {
      warnings.push(`${where} is disabled and was skipped`)
      continue
    }
    servers.push({ label, ...(await parseEntry(entry, where)) })
    const known = 'url' in entry ? URL_KEYS : COMMAND_KEYS
    const foreign = Object.keys(entry).filter((key) => !known.has(key))
    if (foreign.length > 0) warnings.push(`${where} has ${foreign.map(quoteKey).join(', ')}, which mcpwire ignores`)
    if (JSON.stringify(entry).includes('${')) {
      warnings.push(`${where} uses \${…}, which only its host replaces; mcpwire passes it on unchanged`)
    }
  }
  return { servers, warnings }
}

/** Whether its host leaves the server out. */
export function isDisabled(entry: Readonly<Record<string, unknown>>): boolean {
  return entry['disabled'] === true || entry['enabled'] === false
}

async function readConfigFile(path: string): Promise<unknown> {
  const text = await platform.readTextFile(path, MAX_FILE_BYTES)
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw typeError('bad-server-config', `${path} is not valid JSON`, { cause })
  }
}

function findEntries(value: unknown, place: string): Record<string, unknown> {
  if (isPlainObject(value)) {
    for (const key of ['mcpServers', 'servers']) if (isPlainObject(value[key])) return value[key]
    if (Object.values(value).every(isPlainObject)) return value
  }
  throw typeError(
    'bad-server-config',
    `${place} must be an object with mcpServers, as in { "mcpServers": { "name": { "command": "…" } } }`,
  )
}

async function parseEntry(
  entry: Record<string, unknown>,
  where: string,
): Promise<Pick<ConfiguredServer, 'target' | 'options'>> {
  const { command, url, args = [], env = {}, cwd, headers = {}, type } = entry
  if ((command === undefined) === (url === undefined)) {
    throw typeError('bad-server-config', `${where} must have either command or url`)
  }
  if (command !== undefined) {
    if (typeof command !== 'string' || !isStringList(args) || !isStringRecord(env)) {
      throw typeError(
        'bad-server-config',
        `${where}: command must be a string, args an array of strings, env an object of strings`,
      )
    }
    if (cwd !== undefined && typeof cwd !== 'string')
      throw typeError('bad-server-config', `${where}: cwd must be a string`)
    return { target: { command, args, env, ...(cwd !== undefined && { cwd }) }, options: {} }
  }
  if (typeof url !== 'string' || !isStringRecord(headers)) {
    throw typeError('bad-server-config', `${where}: url must be a string, headers an object of strings`)
  }
  if (type === 'sse') {
    const { sse } = await loading(import('../transports/sse.ts'))
    return { target: sse(url, { headers }), options: {} }
  }
  if (!HTTP_TYPES.has(type))
    throw typeError('bad-server-config', `${where}: type must be 'http' or 'sse' where there is a url`)
  return { target: url, options: { headers } }
}

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isStringRecord(value: unknown): value is Record<string, string> {
  return isPlainObject(value) && Object.values(value).every((each) => typeof each === 'string')
}

function quoteKey(key: string): string {
  return `'${key.slice(0, 64)}'`
}

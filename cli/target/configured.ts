// Servers by their names in config files: `@name` and `@host:name`.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfigFile } from '../install/config-file.ts'
import { keysOf, memberOf, toValue } from '../install/config-text.ts'
import { findHost, hostNames } from '../install/hosts.ts'
import { checkServerEntry, type ServerEntry } from '../install/server-entry.ts'
import { readServer, readServers, serversKeyOf, serversUnder } from '../install/servers-file.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import type { Output } from '../terminal/output.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { showLine, showText } from '../terminal/terminal-text.ts'
import { approveCommand } from './approval.ts'
import type { ConnectionOptions } from './connection-options.ts'
import type { Target } from './target.ts'

/** In each folder from the working directory upwards. */
const PROJECT_FILES = ['mcp.json', '.mcp.json', join('.vscode', 'mcp.json'), join('.cursor', 'mcp.json')]
const MAX_FOLDERS = 64

interface Found {
  entry: ServerEntry
  warnings: readonly string[]
  file: string
  /** The folder of the project, where the file belongs to one and not to the user. */
  project?: string
}

export async function resolveConfigured(
  word: string | undefined,
  options: ConnectionOptions,
  output: Output,
): Promise<Target> {
  if (word !== undefined && !word.startsWith('@')) throw usageFailure('A target and --config exclude each other.')
  const name = word?.slice(1) ?? options.server
  if (name === '') throw usageFailure('The name after @ is missing.', 'Example: mcpwire list @github')
  const found =
    options.config === undefined ? await findByName(name ?? '', output) : await findInFile(options.config, name)
  for (const warning of found.warnings) output.note(`mcpwire: ${showText(warning)}`)
  output.detail(`Using the server of ${showLine(found.file)}`)
  const { entry, project } = found
  if (project !== undefined && 'command' in entry) {
    const placed = { ...entry, cwd: resolve(project, entry.cwd ?? '.') }
    await approveCommand(placed, found.file, options, output)
    return { entry: placed, label: word ?? '' }
  }
  return { entry, label: word ?? `@${name ?? ''}` }
}

/** A file that the user named: what stands in it may be started. */
async function findInFile(file: string, name: string | undefined): Promise<Found> {
  if (name !== undefined) return { ...(await readServer(file, name)), file }
  const { servers, warnings } = await readServers(file)
  const [entry, ...others] = servers.values()
  if (entry === undefined) throw usageFailure(`${file} lists no servers.`)
  if (others.length === 0) return { entry, warnings, file }
  throw usageFailure(
    `${file} lists several servers.`,
    `Use --server with one of: ${[...servers.keys()].map(showLine).join(', ')}`,
  )
}

async function findByName(name: string, output: Output): Promise<Found> {
  const seen = new Set<string>()
  const [, hostName = '', inHost = ''] = /^([^:]+):(.+)$/.exec(name) ?? []
  const isHost = hostNames().includes(hostName)
  const places = isHost ? hostPlaces([hostName]) : [...projectPlaces(), ...hostPlaces(hostNames())]
  for (const place of places) {
    const found = await lookInto(place, isHost ? inHost : name, seen, output)
    if (found !== undefined) return found
  }
  const names = [...seen]
  throw new Failure(`No config file lists a server "${showLine(name)}".${suggest(name, names, showLine)}`, {
    slug: 'bad-target',
    exitCode: EXIT.usage,
    hint: names.length === 0 ? 'Use --config to name a file.' : `Listed are: ${listOf(names)}.`,
  })
}

/** The names of all servers that `@name` finds, for completion. */
export async function configuredNames(): Promise<string[]> {
  return (await listConfigured()).map(({ name }) => name).filter((name) => /^[\w./-]+$/.test(name))
}

/** The same with their files. A file that can't be read has none; the first file with a name is the one that counts. */
export async function listConfigured(): Promise<{ name: string; file: string }[]> {
  const files = new Map<string, string>()
  const silent = { note: () => {} }
  for (const place of [...projectPlaces(), ...hostPlaces(hostNames())]) {
    const names = new Set<string>()
    await lookInto(place, '', names, silent)
    for (const name of names) if (!files.has(name)) files.set(name, place.file)
  }
  return [...files].map(([name, file]) => ({ name, file }))
}

interface Place {
  file: string
  project?: string
  /** The key of the list; the usual ones where there is none. */
  key?: string
}

function projectPlaces(): Place[] {
  const places: Place[] = []
  let folder = process.cwd()
  for (let depth = 0; depth < MAX_FOLDERS; depth += 1) {
    for (const name of PROJECT_FILES) places.push({ file: join(folder, name), project: folder })
    const parent = dirname(folder)
    if (parent === folder) break
    folder = parent
  }
  return places
}

/** Hosts whose files are JSON. */
function hostPlaces(names: readonly string[]): Place[] {
  return names.flatMap((name) => {
    try {
      const host = findHost(name)
      return [{ file: host.configPath({}), key: host.serversKey({}) }]
    } catch {
      return []
    }
  })
}

/** A broken file on the way is a note: another one may have the server. */
async function lookInto(
  place: Place,
  name: string,
  seen: Set<string>,
  output: Pick<Output, 'note'>,
): Promise<Found | undefined> {
  const { file, project } = place
  if (!existsSync(file)) return undefined
  try {
    const { document } = await readConfigFile(file)
    const servers = serversUnder(document, place.key ?? serversKeyOf(document))
    const names = keysOf(servers)
    for (const each of names) seen.add(each)
    if (!names.includes(name)) return undefined
    const node = memberOf(servers, name)
    const value = inCommonForm(node && toValue(node))
    return { ...checkServerEntry(value, { file, server: name }), file, ...(project !== undefined && { project }) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    output.note(`mcpwire: ${showText(error.message)}`)
    return undefined
  }
}

/** What some hosts call the URL. */
const URL_NAMES = ['serverUrl', 'httpUrl', 'uri']

function inCommonForm(value: unknown): unknown {
  if (!isPlainObject(value) || Object.hasOwn(value, 'url') || Object.hasOwn(value, 'command')) return value
  const name = URL_NAMES.find((each) => typeof value[each] === 'string')
  if (name === undefined) return value
  const { [name]: url, ...others } = value
  return { ...others, url }
}

const MAX_NAMES = 20

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(showLine).join(', ')
  return names.length > MAX_NAMES ? `${shown}, …` : shown
}

// Servers by their names in config files: `@name` and `@host:name`.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { inCommonForm, isDisabled } from '../install/common-form.ts'
import { hostNames } from '../install/hosts.ts'
import { allFiles, hostFiles, type ListedFile, listEntries } from '../install/listed-files.ts'
import { checkServerEntry, type ServerEntry } from '../install/server-entry.ts'
import { disabledServer, readServer, readServers } from '../install/servers-file.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import type { Output } from '../terminal/output.ts'
import { showLine, showText } from '../terminal/terminal-text.ts'
import { approveCommand } from './approval.ts'
import type { ConnectionOptions } from './connection-options.ts'
import type { Target } from './target.ts'

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
  const { servers, disabled, warnings } = await readServers(file)
  const [entry, ...others] = servers.values()
  if (entry === undefined) {
    throw usageFailure(disabled.length > 0 ? `All servers of ${file} are disabled.` : `${file} lists no servers.`)
  }
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
  const places = isHost ? hostFiles([hostName]) : allFiles()
  const wanted = isHost ? inHost : name
  let offIn: string | undefined
  for (const place of places) {
    const found = await lookInto(place, wanted, seen, output)
    // Another host may have it enabled.
    if (found === 'disabled') offIn ??= place.file
    else if (found !== undefined) return found
  }
  if (offIn !== undefined) throw disabledServer(wanted, offIn)
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
  for (const place of allFiles()) {
    const names = new Set<string>()
    await lookInto(place, '', names, silent)
    for (const name of names) if (!files.has(name)) files.set(name, place.file)
  }
  return [...files].map(([name, file]) => ({ name, file }))
}

/** A broken file on the way is a note: another one may have the server. */
async function lookInto(
  place: ListedFile,
  name: string,
  seen: Set<string>,
  output: Pick<Output, 'note'>,
): Promise<Found | 'disabled' | undefined> {
  const { file, project } = place
  if (!existsSync(file)) return undefined
  try {
    const servers = await listEntries(place)
    for (const each of Object.keys(servers)) seen.add(each)
    if (!Object.hasOwn(servers, name)) return undefined
    if (isDisabled(servers[name])) return 'disabled'
    const value = inCommonForm(servers[name])
    return { ...checkServerEntry(value, { file, server: name }), file, ...(project !== undefined && { project }) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    output.note(`mcpwire: ${showText(error.message)}`)
    return undefined
  }
}

const MAX_NAMES = 20

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(showLine).join(', ')
  return names.length > MAX_NAMES ? `${shown}, …` : shown
}

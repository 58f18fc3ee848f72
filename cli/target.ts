// What a command is about: a URL, a file with a server in it, a program with its arguments, or a name in a configuration.
import { existsSync } from 'node:fs'
import { basename, extname, isAbsolute, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type CommandEntry,
  parseEnvOptions,
  parseHeaderOptions,
  readEnvFile,
  type ServerEntry,
} from './install/server-entry.ts'
import { readServer, readServers } from './install/servers-file.ts'
import { checkServerFile, parseServerFile } from './load-server.ts'
import { usageFailure } from './terminal/failure.ts'
import type { Output } from './terminal/output.ts'
import { showLine, showText } from './terminal/terminal-text.ts'

export interface TargetOptions {
  env?: readonly string[]
  envFile?: string
  header?: readonly string[]
}

/** A target that may be in a file with `mcpServers`. */
export interface ConfiguredTargetOptions extends TargetOptions {
  config?: string
  server?: string
}

/** This command line, as built. */
const MAIN_PROGRAM = fileURLToPath(new URL('mcpwire.js', import.meta.url))

/** Only what was typed, or stands in a file that was named, is ever started: nothing that a server says. */
export async function parseTarget(words: readonly string[], options: TargetOptions): Promise<ServerEntry> {
  const [first, ...rest] = words
  if (first === undefined) {
    throw usageFailure('Which server?', 'Give a URL, a file, or a command after --, as in: -- npx -y some-server')
  }
  if (isUrl(first)) return remoteEntry(first, rest, options)
  if (options.header !== undefined) throw usageFailure('--header is for servers that have a URL')
  const env = await readEnv(options)
  const file = parseServerFile(first)
  if (file === undefined) return { command: first, args: rest, env }
  if (rest.length > 0) throw usageFailure(`What is ${rest.join(' ')} for? A file takes no arguments.`)
  checkServerFile(file)
  const { path, exportName } = file
  return {
    command: process.execPath,
    args: [...process.execArgv, MAIN_PROGRAM, 'run', exportName === undefined ? path : `${path}:${exportName}`],
    // What makes Node read TypeScript, for one, is said there.
    env: { ...(process.env['NODE_OPTIONS'] && { NODE_OPTIONS: process.env['NODE_OPTIONS'] }), ...env },
  }
}

/** The same, or the server of a configuration. */
export async function findTarget(
  words: readonly string[],
  options: ConfiguredTargetOptions,
  output: Output,
): Promise<ServerEntry> {
  const { config, server } = options
  if (config === undefined) {
    if (server !== undefined) throw usageFailure('--server goes with --config')
    return parseTarget(words, options)
  }
  if (words.length > 0) throw usageFailure('Give a target or --config, not both')
  const { entry, warnings } = server === undefined ? await onlyServer(config) : await readServer(config, server)
  for (const warning of warnings) output.note(`mcpwire: ${showText(warning)}`)
  return entry
}

async function onlyServer(config: string): Promise<{ entry: ServerEntry; warnings: string[] }> {
  const { servers, warnings } = await readServers(config)
  const [entry, ...others] = servers.values()
  if (entry === undefined) throw usageFailure(`${config} lists no servers`)
  if (others.length === 0) return { entry, warnings }
  throw usageFailure(
    `Which server of ${config}?`,
    `Say --server with one of: ${[...servers.keys()].map(showLine).join(', ')}`,
  )
}

/** What a host is to call it where nothing was said: as the host of a URL, or as the file. Words of a command may be secrets. */
export function nameTarget([first = '']: readonly string[]): string {
  if (isUrl(first)) return new URL(first).hostname
  const file = parseServerFile(first)
  if (file === undefined) throw usageFailure('What is the host to call it?', 'Say so with --name.')
  return basename(file.path, extname(file.path))
}

/** Whether this command line runs the server, from a file. */
export function isRunByUs(entry: ServerEntry): entry is CommandEntry {
  return 'command' in entry && entry.args.includes(MAIN_PROGRAM)
}

/** What would keep a host from starting it later on. */
export function findHindrances(entry: ServerEntry): string[] {
  if ('url' in entry) return []
  const hindrances: string[] = []
  if (isRunByUs(entry) && MAIN_PROGRAM.includes(`${sep}_npx${sep}`)) {
    hindrances.push('It will be run by a copy of mcpwire that npx may throw away. Install mcpwire beside the server.')
  }
  const relative = [entry.command, ...entry.args].filter(
    (word) => !isAbsolute(word) && /[\\/.]/.test(word) && existsSync(word),
  )
  if (relative.length > 0) {
    hindrances.push(`${relative.map(showLine).join(', ')}: a host starts it in another folder. Give the whole path.`)
  }
  return hindrances
}

async function remoteEntry(url: string, rest: readonly string[], options: TargetOptions): Promise<ServerEntry> {
  if (rest.length > 0) throw usageFailure(`What is ${rest.join(' ')} for? A URL takes no arguments.`)
  if (options.env !== undefined || options.envFile !== undefined) {
    throw usageFailure('--env and --env-file are for servers that are started here')
  }
  return { url, headers: parseHeaderOptions(options.header ?? []) }
}

function isUrl(word: string): boolean {
  if (!/^https?:\/\//i.test(word)) return false
  if (URL.canParse(word)) return true
  throw usageFailure(`${word} is not a URL`)
}

/** Single variables have the last word. */
async function readEnv({ env = [], envFile }: TargetOptions): Promise<Record<string, string>> {
  return { ...(envFile !== undefined && (await readEnvFile(envFile))), ...parseEnvOptions(env) }
}

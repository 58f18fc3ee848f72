// What a command is about: a URL, a file with a server in it, a program with its arguments, or a name in a configuration.
import { basename, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { usageFailure } from './failure.ts'
import { checkServerFile, parseServerFile } from './load-server.ts'
import type { Output } from './output.ts'
import { parseEnvOptions, parseHeaderOptions, readEnvFile, type ServerEntry } from './server-entry.ts'
import { readServer, readServers } from './servers-file.ts'
import { showText } from './terminal-text.ts'

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
  if (/^https?:\/\//i.test(first)) return remoteEntry(first, rest, options)
  if (options.header !== undefined) throw usageFailure('--header is for servers that have a URL')
  const env = await readEnv(options)
  const file = rest.length === 0 ? parseServerFile(first) : undefined
  if (file === undefined) return { command: first, args: rest, env }
  checkServerFile(file)
  const { path, exportName } = file
  return {
    command: process.execPath,
    args: [MAIN_PROGRAM, 'run', exportName === undefined ? path : `${path}:${exportName}`],
    env,
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
  throw usageFailure(`Which server of ${config}?`, `Say --server with one of: ${[...servers.keys()].join(', ')}`)
}

/** What a host is to call it where nothing was said: the host of a URL, the name of a file or of a package. */
export function nameTarget(words: readonly string[]): string {
  const last = words.findLast((word) => !word.startsWith('-')) ?? ''
  if (URL.canParse(last) && /^https?:/i.test(last)) return new URL(last).hostname
  const file = parseServerFile(last)?.path ?? last
  return basename(file, extname(parseServerFile(last)?.path ?? '')).replace(/(?<=.)@.*$/, '')
}

async function remoteEntry(url: string, rest: readonly string[], options: TargetOptions): Promise<ServerEntry> {
  if (rest.length > 0) throw usageFailure(`What is ${rest.join(' ')} for? A URL takes no arguments.`)
  if (options.env !== undefined || options.envFile !== undefined) {
    throw usageFailure('--env and --env-file are for servers that are started here')
  }
  if (!URL.canParse(url)) throw usageFailure(`${url} is not a URL`)
  return { url, headers: parseHeaderOptions(options.header ?? []) }
}

/** Single variables have the last word. */
async function readEnv({ env = [], envFile }: TargetOptions): Promise<Record<string, string>> {
  return { ...(envFile !== undefined && (await readEnvFile(envFile))), ...parseEnvOptions(env) }
}

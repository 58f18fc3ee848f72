// The target of a command: a URL, a file with a server, a program with its arguments, or a name in a config file.
import { existsSync } from 'node:fs'
import { basename, extname, isAbsolute, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnvOptions, parseHeaderOptions, readEnvFile } from '../install/entry-options.ts'
import type { CommandEntry, ServerEntry } from '../install/server-entry.ts'
import { readServer, readServers } from '../install/servers-file.ts'
import { checkServerFile, parseServerFile } from '../serving/load-server.ts'
import { usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { showLine, showText } from '../terminal/terminal-text.ts'

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

/** Starts only what the user typed or what stands in a file that the user named, never what a server sends. */
export async function parseTarget(words: readonly string[], options: TargetOptions): Promise<ServerEntry> {
  const [first, ...rest] = words
  if (first === undefined) {
    throw usageFailure(
      'The target is missing.',
      'Give a URL, a file, or a command after --, as in: -- npx -y some-server',
    )
  }
  if (isUrl(first)) return remoteEntry(first, rest, options)
  if (options.header !== undefined) throw usageFailure('--header needs a URL target.')
  const env = await readEnv(options)
  const file = parseServerFile(first)
  if (file === undefined) return { command: first, args: rest, env }
  if (rest.length > 0) throw usageFailure(`Unexpected argument "${rest.join(' ')}". A file target takes no arguments.`)
  checkServerFile(file)
  const { path, exportName } = file
  return {
    command: process.execPath,
    args: [...process.execArgv, MAIN_PROGRAM, 'run', exportName === undefined ? path : `${path}:${exportName}`],
    // It may hold the loader that lets Node run TypeScript.
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
    if (server !== undefined) throw usageFailure('--server needs --config.')
    return parseTarget(words, options)
  }
  if (words.length > 0) throw usageFailure('A target and --config exclude each other.')
  const { entry, warnings } = server === undefined ? await onlyServer(config) : await readServer(config, server)
  for (const warning of warnings) output.note(`mcpwire: ${showText(warning)}`)
  return entry
}

async function onlyServer(config: string): Promise<{ entry: ServerEntry; warnings: string[] }> {
  const { servers, warnings } = await readServers(config)
  const [entry, ...others] = servers.values()
  if (entry === undefined) throw usageFailure(`${config} lists no servers.`)
  if (others.length === 0) return { entry, warnings }
  throw usageFailure(
    `${config} lists several servers.`,
    `Use --server with one of: ${[...servers.keys()].map(showLine).join(', ')}`,
  )
}

/** The default name of a server: the host of the URL, or the name of the file. Words of a command may be secrets. */
export function nameTarget([first = '']: readonly string[]): string {
  if (isUrl(first)) return new URL(first).hostname
  const file = parseServerFile(first)
  if (file === undefined) throw usageFailure('A command has no default name.', 'Use --name to name the server.')
  return basename(file.path, extname(file.path))
}

/** Whether the entry runs a file with `mcpwire run`. */
export function isRunByUs(entry: ServerEntry): entry is CommandEntry {
  return 'command' in entry && entry.args.includes(MAIN_PROGRAM)
}

/** Why a host may fail to start the server later. */
export function findStartProblems(entry: ServerEntry): string[] {
  if ('url' in entry) return []
  const problems: string[] = []
  if (isRunByUs(entry) && MAIN_PROGRAM.includes(`${sep}_npx${sep}`)) {
    problems.push(
      'This entry would use mcpwire from the npx cache, which npm can delete. Run `npm install mcpwire` in your project, then install again.',
    )
  }
  const relative = [entry.command, ...entry.args].filter(
    (word) => !isAbsolute(word) && /[\\/.]/.test(word) && existsSync(word),
  )
  if (relative.length > 0) {
    problems.push(
      `${relative.map(showLine).join(', ')}: relative paths do not work, because a host starts the server in another folder. Use absolute paths.`,
    )
  }
  return problems
}

async function remoteEntry(url: string, rest: readonly string[], options: TargetOptions): Promise<ServerEntry> {
  if (rest.length > 0) throw usageFailure(`Unexpected argument "${rest.join(' ')}". A URL target takes no arguments.`)
  if (options.env !== undefined || options.envFile !== undefined) {
    throw usageFailure('--env and --env-file need a file or a command as target.')
  }
  return { url, headers: parseHeaderOptions(options.header ?? []) }
}

function isUrl(word: string): boolean {
  if (!/^https?:\/\//i.test(word)) return false
  if (URL.canParse(word)) return true
  throw usageFailure(`${word} is not a valid URL.`)
}

/** Single variables override those of the file. */
async function readEnv({ env = [], envFile }: TargetOptions): Promise<Record<string, string>> {
  return { ...(envFile !== undefined && (await readEnvFile(envFile))), ...parseEnvOptions(env) }
}

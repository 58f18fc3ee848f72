// A target as an entry in the config of a host: no probing, and no words of this terminal in it.
import { existsSync } from 'node:fs'
import { basename, extname, isAbsolute } from 'node:path'
import type { ServerEntry } from '../install/server-entry.ts'
import { parseServerFile } from '../serving/server-file.ts'
import { usageFailure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { type ConnectionOptions, withOptions } from './connection-options.ts'
import { entryForHost, type InstallEntryOptions } from './install-entry.ts'
import { findProjectName } from './project.ts'
import { entryOfFile, findServerFile } from './target.ts'
import { readUrlWord } from './url-words.ts'

export type TargetOptions = Pick<ConnectionOptions, 'env' | 'envFile' | 'header'>

/** A file, a URL, or the words of a command, as somebody typed them in one line to start it from here. */
export async function parseTarget(words: readonly string[], options: TargetOptions): Promise<ServerEntry> {
  const [first, ...rest] = words
  const file = first === undefined ? undefined : findServerFile(first)
  const url = first === undefined || file !== undefined ? undefined : readUrlWord(first)
  if (file === undefined && url === undefined) return parseInstallTarget({ word: undefined, after: words }, options)
  if (rest.length > 0) {
    const kind = file === undefined ? 'URL' : 'file'
    throw usageFailure(`Unexpected argument "${rest.join(' ')}". A ${kind} target takes no arguments.`)
  }
  return withOptions(file === undefined ? { url: url ?? '', headers: {} } : entryOfFile(file), options)
}

export interface InstallWords {
  readonly word: string | undefined
  /** The words after `--`: the arguments of a file, or a command. */
  readonly after: readonly string[] | undefined
}

/** The entry for a host. */
export async function parseInstallTarget(
  { word, after = [] }: InstallWords,
  options: TargetOptions & InstallEntryOptions,
): Promise<ServerEntry> {
  const file = word === undefined ? undefined : findServerFile(word)
  if (file !== undefined) return withOptions(entryForHost(file, { ...options, args: after }), options)
  for (const name of ['portable', 'dev'] as const) {
    if (options[name] === true) throw usageFailure(`--${name} needs a file as target.`)
  }
  const url = word === undefined ? undefined : readUrlWord(word)
  if (url !== undefined) {
    if (after.length > 0) throw usageFailure('A URL target takes no arguments after --.')
    return withOptions({ url, headers: {} }, options)
  }
  const [command, ...args] = word === undefined ? after : [word, ...after]
  if (command !== undefined) return withOptions({ command, args, env: {} }, options)
  throw usageFailure(
    'The target is missing.',
    'Give a URL, a file, or a command after --, as in: -- npx -y some-server',
  )
}

/** Names that say nothing about a server. */
const USUAL_NAMES = ['server', 'index', 'main', 'app', 'mcp', 'start']

/** The default name of a server: that of its project, of the file, or the host of the URL. Words of a command may be secrets. */
export function nameTarget([first = '']: readonly string[]): string {
  const file = findServerFile(first)
  if (file !== undefined) {
    const own = basename(file.path, extname(file.path))
    const isNamed = parseServerFile(first) !== undefined && !USUAL_NAMES.includes(own)
    return (isNamed ? undefined : findProjectName(file.path)) ?? own
  }
  const url = readUrlWord(first)
  if (url !== undefined) return new URL(url).hostname
  throw usageFailure('A command has no default name.', 'Use --name to name the server.')
}

/** Why a host may fail to start the server later, although it starts here. */
export function findStartProblems(entry: ServerEntry): string[] {
  if ('url' in entry) return []
  const relative = [entry.command, ...entry.args].filter(
    (word) => !isAbsolute(word) && /[\\/.]/.test(word) && existsSync(word),
  )
  if (relative.length === 0) return []
  return [
    `${relative.map(showLine).join(', ')}: relative paths do not work, because a host starts the server in another folder. Use absolute paths.`,
  ]
}

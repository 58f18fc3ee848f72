// A target as an entry in the config of a host: no probing, and no words of this terminal in it.
import { existsSync } from 'node:fs'
import { basename, extname, isAbsolute, sep } from 'node:path'
import type { ServerEntry } from '../install/server-entry.ts'
import { parseServerFile } from '../serving/server-file.ts'
import { usageFailure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { type ConnectionOptions, withOptions } from './connection-options.ts'
import { entryOfFile, findServerFile, isRunByUs, MAIN_PROGRAM } from './target.ts'
import { readUrlWord } from './url-words.ts'

export type TargetOptions = Pick<ConnectionOptions, 'env' | 'envFile' | 'header'>

/** A file, a URL, or the words of a command. */
export async function parseTarget(words: readonly string[], options: TargetOptions): Promise<ServerEntry> {
  const [first, ...rest] = words
  if (first === undefined) {
    throw usageFailure(
      'The target is missing.',
      'Give a URL, a file, or a command after --, as in: -- npx -y some-server',
    )
  }
  const file = findServerFile(first)
  const url = file === undefined ? readUrlWord(first) : undefined
  if (file === undefined && url === undefined) return withOptions({ command: first, args: rest, env: {} }, options)
  const kind = file === undefined ? 'URL' : 'file'
  if (rest.length > 0)
    throw usageFailure(`Unexpected argument "${rest.join(' ')}". A ${kind} target takes no arguments.`)
  return withOptions(file === undefined ? { url: url ?? first, headers: {} } : entryOfFile(file), options)
}

/** The default name of a server: the host of the URL, or the name of the file. Words of a command may be secrets. */
export function nameTarget([first = '']: readonly string[]): string {
  const file = parseServerFile(first)
  if (file !== undefined) return basename(file.path, extname(file.path))
  const url = readUrlWord(first)
  if (url !== undefined) return new URL(url).hostname
  throw usageFailure('A command has no default name.', 'Use --name to name the server.')
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

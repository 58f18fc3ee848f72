// The target of a command: a URL, a file with a server, the project of a folder, a configured server, or a program after `--`.
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CommandEntry, ServerEntry } from '../install/server-entry.ts'
import { checkServerFile, parseServerFile, type ServerFile } from '../serving/server-file.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { type ConnectionOptions, withOptions } from './connection-options.ts'
import { findProjectServer } from './project.ts'
import { candidatesOf, readUrlWord } from './url-words.ts'

export interface Target {
  readonly entry: ServerEntry
  /** As it is typed again: `server.ts`, `https://…`, `-- node server.js`. */
  readonly label: string
  /** URLs to try one after another, where the typed one has no path. */
  readonly candidates?: readonly string[]
  /** The file, where the target is one. */
  readonly file?: ServerFile
}

/** What was typed: one word, or the words after `--`. */
export interface TargetWords {
  readonly word: string | undefined
  readonly command: readonly string[] | undefined
}

/** This command line, as built. */
export const MAIN_PROGRAM = fileURLToPath(new URL('mcpwire.js', import.meta.url))

/** Starts only what the user typed or what stands in a file of the user or the project, never what a server sends. */
export async function resolveTarget(words: TargetWords, options: ConnectionOptions, output: Output): Promise<Target> {
  const target = await readTarget(words, options, output)
  return { ...target, entry: await withOptions(target.entry, options) }
}

async function readTarget({ word, command }: TargetWords, options: ConnectionOptions, output: Output): Promise<Target> {
  if (command !== undefined) {
    if (word !== undefined) throw usageFailure(`Unexpected argument "${word}". The target is the command after --.`)
    return commandTarget(command)
  }
  if (word?.startsWith('@') || options.config !== undefined) {
    const { resolveConfigured } = await import('./configured.ts')
    return resolveConfigured(word, options, output)
  }
  if (options.server !== undefined) throw usageFailure('--server needs --config.')
  if (word === undefined || word.trim() === '') {
    throw usageFailure(
      word === undefined ? 'The target is missing.' : 'The target is empty.',
      'Give a URL, a file, @name, or a command after --, as in: -- npx -y some-server',
    )
  }
  const file = findServerFile(word)
  if (file !== undefined) return fileTarget(file, word, options)
  const url = readUrlWord(word)
  if (url !== undefined) return { entry: { url, headers: {} }, label: word, candidates: candidatesOf(url) }
  throw unknownTarget(word)
}

/** A file, or the project of a folder; `undefined` for other words. */
export function findServerFile(word: string): ServerFile | undefined {
  const file = parseServerFile(isFolder(word) ? findProjectServer(word) : word)
  if (file !== undefined) checkServerFile(file)
  return file
}

function isFolder(word: string): boolean {
  return statSync(word, { throwIfNoEntry: false })?.isDirectory() === true
}

function commandTarget(words: readonly string[]): Target {
  const [command, ...args] = words
  if (command === undefined || command === '') {
    throw usageFailure('There is no command after --.', 'Example: mcpwire list -- npx -y some-server')
  }
  return { entry: { command, args, env: {} }, label: `-- ${words.map(showLine).join(' ')}` }
}

function fileTarget(file: ServerFile, label: string, { debug }: ConnectionOptions): Target {
  return { entry: entryOfFile(file, ['--json', ...(debug === true ? ['--debug'] : [])]), label, file }
}

/** The file, run by `mcpwire run`, which keeps its stdout clean. */
export function entryOfFile({ path, exportName }: ServerFile, options: readonly string[] = []): CommandEntry {
  const { NODE_OPTIONS } = process.env
  return {
    command: process.execPath,
    args: [
      ...process.execArgv,
      MAIN_PROGRAM,
      'run',
      ...options,
      exportName === undefined ? path : `${path}:${exportName}`,
    ],
    // It may hold the loader that lets Node run TypeScript.
    env: NODE_OPTIONS ? { NODE_OPTIONS } : {},
  }
}

/** Whether the entry runs a file with `mcpwire run`. */
export function isRunByUs(entry: ServerEntry): entry is CommandEntry {
  return 'command' in entry && entry.args.includes(MAIN_PROGRAM)
}

/** The file that `mcpwire run` of the entry runs. */
export function ownFileOf(entry: ServerEntry): string | undefined {
  if (!isRunByUs(entry)) return undefined
  const words = entry.args.slice(entry.args.indexOf(MAIN_PROGRAM) + 2)
  return words.find((word) => !word.startsWith('-'))
}

/** With the readings that are nearest to it. A word is never started as a program. */
function unknownTarget(word: string): Failure {
  const shown = showLine(word)
  const script = ['.ts', '.js', '.mts', '.mjs'].map((ending) => `${word}${ending}`).find((file) => existsSync(file))
  const isFile = existsSync(word)
  const message = isFile
    ? `${shown} is not a JavaScript or TypeScript file.`
    : `"${shown}" is not a target: it is not a URL, a server file or a folder.`
  const readings = [
    isFile && /\.json$/i.test(word) ? `--config ${shown} for the servers that it lists` : undefined,
    isFile && /\.(json|ya?ml)$/i.test(word) ? `mcpwire openapi ${shown} for an OpenAPI document` : undefined,
    script === undefined ? undefined : `${showLine(script)} for that file`,
    isFile ? `-- <program> ${shown} to start it with its program` : `-- ${shown} for a command`,
    isFile ? undefined : `@${shown} for a configured server`,
    isFile || script !== undefined ? undefined : `https://${shown} for a URL`,
  ].filter((reading) => reading !== undefined)
  return new Failure(message, {
    slug: 'bad-target',
    exitCode: EXIT.usage,
    hint: `Use ${readings.slice(0, 3).join(', or ')}.`,
  })
}

// A file with a server, as it is named on a command line.
import { existsSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'

/** A file, and which of its exports is meant. */
export interface ServerFile {
  readonly path: string
  readonly exportName: string | undefined
}

const PROGRAM_EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']

/** `file` or `file:export`. `undefined` for what cannot be a program. */
export function parseServerFile(text: string, cwd = process.cwd()): ServerFile | undefined {
  const [, file = text, exportName] = /^(.+):([\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(text) ?? []
  if (!PROGRAM_EXTENSIONS.includes(extname(file))) return undefined
  return { path: resolve(cwd, file), exportName }
}

export function checkServerFile({ path }: ServerFile): void {
  if (!existsSync(path)) throw loadFailure('file-not-found', `${path} does not exist.`, 'Check the path.')
  if (!statSync(path).isFile()) throw loadFailure('file-not-found', `${path} is not a file.`, 'Name a file.')
}

/** The file cannot be loaded, or has no server. */
export function loadFailure(slug: string, message: string, hint: string, cause?: unknown): Failure {
  return new Failure(message, { slug, hint, exitCode: EXIT.noConnection, cause })
}

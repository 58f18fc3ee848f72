// The entry that a host gets for a file: absolute in every part, so that it works from any folder and with any environment.
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommandEntry } from '../install/server-entry.ts'
import type { ServerFile } from '../serving/server-file.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import { readVersion } from '../terminal/version.ts'
import { MAIN_PROGRAM } from './target.ts'

export interface InstallEntryOptions {
  /** Run by `npx`, with this version, instead of this copy. */
  portable?: boolean
  /** Reload the server when its files change. */
  dev?: boolean
  /** The arguments of the server. */
  args?: readonly string[]
}

/** What the entry depends on: the present process. */
export interface EntrySurroundings {
  readonly execPath: string
  readonly execArgv: readonly string[]
  readonly mainProgram: string
  readonly cwd: string
  readonly isWindows: boolean
}

export function entryForHost(
  file: ServerFile,
  options: InstallEntryOptions = {},
  surroundings: EntrySurroundings = presentSurroundings(),
): CommandEntry {
  const { portable = false, dev = false, args = [] } = options
  const { execPath, mainProgram } = surroundings
  const target = file.exportName === undefined ? file.path : `${file.path}:${file.exportName}`
  const words = [dev ? 'dev' : 'run', target, ...(dev ? ['--stdio'] : []), ...(args.length > 0 ? ['--', ...args] : [])]
  if (portable) return { command: 'npx', args: ['-y', `mcpwire@${readVersion()}`, ...words], env: {} }
  rejectNpxCache(mainProgram)
  return { command: execPath, args: [...absoluteLoaders(surroundings), mainProgram, ...words], env: {} }
}

function presentSurroundings(): EntrySurroundings {
  return {
    execPath: process.execPath,
    execArgv: process.execArgv,
    mainProgram: MAIN_PROGRAM,
    cwd: process.cwd(),
    isWindows: process.platform === 'win32',
  }
}

/** npm deletes what it has there when it likes. */
function rejectNpxCache(mainProgram: string): void {
  if (!/[\\/]_npx[\\/]/.test(mainProgram)) return
  throw new Failure('This entry would use mcpwire from the npx cache, which npm can delete.', {
    slug: 'npx-cache',
    hint: 'Run `npm install mcpwire` in your project, then `npx mcpwire install …` again, or add --portable.',
  })
}

const LOADER_OPTIONS = ['--import', '--loader', '--experimental-loader', '--require', '-r']

/** The loaders that this process was started with. Everything else that Node was given is for this terminal. */
export function absoluteLoaders({ execArgv, cwd, isWindows }: EntrySurroundings): string[] {
  const loaders: string[] = []
  for (const [index, word] of execArgv.entries()) {
    const [name, attached] = splitOption(word)
    if (!LOADER_OPTIONS.includes(name)) continue
    const specifier = attached ?? execArgv[index + 1] ?? ''
    loaders.push(name, absoluteLoader(specifier, cwd, isWindows, name === '--require' || name === '-r'))
  }
  return loaders
}

function splitOption(word: string): [string, string | undefined] {
  const end = word.indexOf('=')
  return end === -1 ? [word, undefined] : [word.slice(0, end), word.slice(end + 1)]
}

/** `--import` takes URLs, `--require` takes paths. */
function absoluteLoader(specifier: string, cwd: string, isWindows: boolean, wantsPath: boolean): string {
  if (/^(?:file|data|node):/.test(specifier)) return specifier
  const { isAbsolute, resolve } = isWindows ? path.win32 : path.posix
  const isPath = isAbsolute(specifier) || /^\.{1,2}[\\/]/.test(specifier)
  const found = isPath ? resolve(cwd, specifier) : findPackage(specifier, cwd)
  return wantsPath ? found : pathToFileURL(found, { windows: isWindows }).href
}

function findPackage(specifier: string, cwd: string): string {
  try {
    return createRequire(path.join(cwd, 'package.json')).resolve(specifier)
  } catch {
    throw usageFailure(`The loader ${specifier} of Node's command line is not found from ${cwd}.`, 'Use a path.')
  }
}

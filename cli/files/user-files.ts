// Small files of the user that commands keep between runs: what was approved, tasks, and a cache for completion.
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolders } from './make-folders.ts'

/** A file in `mcpwire` of the user's configuration folder, as token stores have theirs. */
export function configFile(name: string): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  const base = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME
  return join(base || join(homedir(), '.config'), 'mcpwire', name)
}

/** A file that may be deleted at any time. */
export function cacheFile(name: string): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  const base = process.platform === 'win32' ? LOCALAPPDATA : XDG_CACHE_HOME
  return join(base || join(homedir(), '.cache'), 'mcpwire', name)
}

const MAX_BYTES = 4 * 1024 * 1024

/** The JSON of a file; `undefined` where there is none, or it is none of ours. */
export function readUserFile(path: string): unknown {
  try {
    return statSync(path).size > MAX_BYTES ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as unknown)
  } catch {
    return undefined
  }
}

/** Replaces the whole file, readable by its owner only. Returns whether it was written: a full disk fails no command. */
export function writeUserFile(path: string, value: unknown): boolean {
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    makeFolders(dirname(path), 0o700)
    writeFileSync(draft, JSON.stringify(value), { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
    return true
  } catch {
    rmSync(draft, { force: true })
    return false
  }
}

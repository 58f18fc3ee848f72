// Stores tokens in files that only their owner can read, so that logins survive the process and processes share them.

import { chmod, type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { TokenStore } from '../../auth/client/tokens/token-store.ts'
import { withHelp } from '../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { loadCrypto } from '../runtime/builtins.ts'
import { withFileLock } from './file-lock.ts'
import { replaceFile } from './replace-file.ts'

const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000

/** Creates the folder if it does not exist. */
async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await checkPrivateFolder(path)
}

/**
 * Removes write access of other users; throws if the folder is not ours. `false` if there is no such folder. On Windows the
 * folders of a user are private already, and nothing is checked.
 */
async function checkPrivateFolder(path: string): Promise<boolean> {
  const found = await findFolder(path)
  if (found === undefined) return false
  if (process.platform === 'win32') return true
  if (found.uid !== process.getuid?.()) {
    throw withHelp(
      'wrong-option',
      new Error(`The folder ${path} belongs to another user, who can replace the files in it. ${ADVICE}`),
    )
  }
  if ((found.mode & WRITABLE_BY_OTHERS) === 0) return true
  // A folder that is meant for all users, such as /tmp.
  if ((found.mode & STICKY) !== 0)
    throw withHelp('wrong-option', new Error(`The folder ${path} is shared with other users. ${ADVICE}`))
  await chmod(path, found.mode & 0o700)
  return true
}

const ADVICE = 'Use a folder of your own for tokens.'

async function findFolder(path: string): Promise<{ uid: number; mode: number } | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Options of `fileTokenStore()`. */
export interface FileTokenStoreOptions {
  /**
   * The folder of the files (default: `mcpwire/tokens` in the user's configuration folder). Write access of other users is
   * removed. A folder of another user, or one that is shared like `/tmp`, is an error.
   */
  directory?: string | undefined
  /** Maximum time to wait for another process that refreshes tokens in milliseconds (default: 30,000). */
  lockTimeoutMs?: number | undefined
}

export const FILE_TOKEN_STORE_KEYS: KnownKeys<FileTokenStoreOptions> = {
  directory: true,
  lockTimeoutMs: true,
}

const LOCK_TIMEOUT_MS = 30_000
/** Longer than any refresh; the holder touches its lock more often than that. */
const STALE_LOCK_MS = 20_000
const MAX_FILE_BYTES = 1024 * 1024

/**
 * A token store with one file per key. Only the owner can read the files; writes replace a whole file; a lock works between
 * processes. One store serves one user.
 */
export function fileTokenStore(options: FileTokenStoreOptions = {}): TokenStore {
  checkKeys('fileTokenStore()', options, FILE_TOKEN_STORE_KEYS)
  const directory = options.directory ?? defaultDirectory()
  const timeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS
  // Keys contain URLs; their digest is a valid file name on every system.
  const pathOf = (key: string) => join(directory, `${loadCrypto().createHash('sha256').update(key).digest('hex')}.json`)

  async function get(key: string): Promise<unknown> {
    if (!(await checkPrivateFolder(directory))) return undefined
    const text = await readText(pathOf(key))
    if (text === undefined) return undefined
    const entry = parseEntry(text)
    return entry?.key === key ? entry.value : undefined
  }

  return {
    get,
    set: async (key, value) => {
      await makePrivateFolder(directory)
      await replaceFile(pathOf(key), JSON.stringify({ key, value }))
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    lock: async (key, work) => {
      await makePrivateFolder(directory)
      return withFileLock(`${pathOf(key)}.lock`, { timeoutMs, staleMs: STALE_LOCK_MS }, work)
    },
  }
}

function defaultDirectory(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  const base = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME
  return join(base || join(homedir(), '.config'), 'mcpwire', 'tokens')
}

/** Ignores a file of another user, from a time when they could write to the folder. */
async function readText(path: string): Promise<string | undefined> {
  const file = await openIfThere(path)
  if (file === undefined) return undefined
  try {
    const { uid } = await file.stat()
    const isOurs = process.platform === 'win32' || uid === process.getuid?.()
    return isOurs ? await file.readFile('utf8') : undefined
  } finally {
    await file.close()
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A damaged file counts as missing. */
function parseEntry(text: string): { key: unknown; value: unknown } | undefined {
  if (text.length > MAX_FILE_BYTES) return undefined
  try {
    const entry: unknown = JSON.parse(text)
    return typeof entry === 'object' && entry !== null ? (entry as { key: unknown; value: unknown }) : undefined
  } catch {
    return undefined
  }
}

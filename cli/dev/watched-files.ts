// Tells when a file that matters has other contents than before.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { type Glob, parseGlob } from './globs.ts'

/** Editors write a file in several steps, and tools write several files. */
const QUIET_MS = 60
/** Where saves never end, a reload comes nevertheless. */
const MAX_WAIT_MS = 1_000
const MAX_FILES = 20_000
const READY_MS = 500

export interface WatchedFilesOptions {
  /** Ask for changes instead of waiting for the system to report them: for network folders and containers. */
  poll: boolean
  globs: readonly string[]
  onChange(paths: readonly string[]): void
}

export class WatchedFiles {
  readonly #options: WatchedFilesOptions
  /** Of folders: a file that is deleted and comes back is noticed nowhere else. */
  readonly #folders: FSWatcher
  readonly #patterns: FSWatcher | undefined
  readonly #globs: readonly Glob[]
  readonly #watched = new Set<string>()
  /** Folders that files will be in once they exist. */
  readonly #missing = new Set<string>()
  /** What each file contained when it last counted; `missing` where there was none. */
  readonly #digests = new Map<string, Promise<string>>()
  #touched = new Set<string>()
  #firstTouch = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: WatchedFilesOptions) {
    this.#options = options
    this.#globs = options.globs.map((glob) => parseGlob(glob))
    const common = { ignoreInitial: true, usePolling: options.poll, interval: 100, ignorePermissionErrors: true }
    this.#folders = watch([], { ...common, depth: 0 })
    const bases = this.#globs.map(({ base }) => base)
    this.#patterns =
      bases.length === 0 ? undefined : watch(bases, { ...common, ignored: /[\\/](?:node_modules|\.git)(?:[\\/]|$)/ })
    for (const watcher of [this.#folders, this.#patterns]) {
      for (const event of ['add', 'change', 'unlink'] as const) watcher?.on(event, (path) => this.#touch(path))
      watcher?.on('error', () => {})
    }
    this.#folders.on('addDir', (path) => this.#appeared(path))
  }

  /** `since`: a file that was written later may differ from what was loaded, and counts as changed. */
  add(paths: readonly string[], since = Infinity): void {
    const added = paths.filter((path) => !this.#digests.has(path)).slice(0, MAX_FILES - this.#digests.size)
    for (const path of added) {
      const digest = digestOf(path)
      this.#digests.set(path, digest)
      void digest
        .then(() => stat(path))
        .then(({ mtimeMs }) => void (mtimeMs > since && this.#changed([path])))
        .catch(() => {})
    }
    if (!this.#isClosed) for (const folder of new Set(added.map((path) => dirname(path)))) this.#watchFolder(folder)
  }

  #watchFolder(folder: string): void {
    let existing = folder
    while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
    if (existing !== folder) this.#missing.add(folder)
    if (this.#watched.has(existing)) return
    this.#watched.add(existing)
    this.#folders.add(existing)
    // What changes before the watcher is ready is reported by nobody.
    setTimeout(() => {
      for (const path of this.#digests.keys()) if (dirname(path) === folder) this.#touch(path)
    }, READY_MS).unref()
  }

  /** Its files may have been written before anybody watched it. */
  #appeared(folder: string): void {
    const inside = [...this.#missing].filter((missing) => missing === folder || missing.startsWith(folder + sep))
    for (const missing of inside) {
      this.#missing.delete(missing)
      this.#watchFolder(missing)
    }
    for (const path of this.#digests.keys()) if (dirname(path) === folder && inside.length > 0) this.#touch(path)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all([this.#folders.close(), this.#patterns?.close()])
  }

  #touch(path: string): void {
    if (!this.#digests.has(path) && !this.#globs.some((glob) => glob.matches(path))) return
    if (this.#touched.size === 0) this.#firstTouch = Date.now()
    this.#touched.add(path)
    clearTimeout(this.#timer)
    const left = Math.max(0, this.#firstTouch + MAX_WAIT_MS - Date.now())
    this.#timer = setTimeout(() => void this.#compare(), Math.min(QUIET_MS, left))
  }

  async #compare(): Promise<void> {
    const touched = [...this.#touched]
    this.#touched = new Set()
    const changed = await Promise.all(
      touched.map(async (path) => {
        const before = await this.#digests.get(path)
        const now = await digestOf(path)
        this.#digests.set(path, Promise.resolve(now))
        return before === now ? [] : [path]
      }),
    )
    this.#changed(changed.flat())
  }

  #changed(paths: readonly string[]): void {
    if (paths.length > 0 && !this.#isClosed) this.#options.onChange(paths)
  }
}

async function digestOf(path: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  } catch {
    return 'missing'
  }
}

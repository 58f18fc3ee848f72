// Tells when a file that matters has other contents than before.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { type FSWatcher, watch } from '../packages/chokidar.ts'
import { type Glob, parseGlob } from './globs.ts'

/** Editors write a file in several steps, and tools write several files. */
const QUIET_MS = 60
/** Where saves never end, a reload comes nevertheless. */
const MAX_WAIT_MS = 1_000
const MAX_FILES = 20_000
const READY_MS = 500
const LOOKOUT_MS = 100

export interface WatchedFilesOptions {
  /** Ask for changes instead of waiting for the system to report them: for network folders and containers. */
  poll: boolean
  globs: readonly string[]
  onChange(paths: readonly string[]): void
}

export class WatchedFiles {
  readonly #options: WatchedFilesOptions
  readonly #files: FSWatcher
  readonly #patterns: FSWatcher | undefined
  readonly #globs: readonly Glob[]
  /** Files that nobody can watch until they are there. */
  readonly #missing = new Set<string>()
  readonly #lookout: NodeJS.Timeout
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
    this.#files = watch([], common)
    const bases = this.#globs.map(({ base }) => base)
    this.#patterns =
      bases.length === 0 ? undefined : watch(bases, { ...common, ignored: /[\\/](?:node_modules|\.git)(?:[\\/]|$)/ })
    for (const watcher of [this.#files, this.#patterns]) {
      for (const event of ['add', 'change', 'unlink'] as const) watcher?.on(event, (path) => this.#touch(path))
      watcher?.on('error', () => {})
    }
    this.#files.on('unlink', (path) => this.#missing.add(path))
    this.#lookout = setInterval(() => this.#findMissing(), LOOKOUT_MS).unref()
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
    if (this.#isClosed || added.length === 0) return
    const existing = added.filter((path) => existsSync(path))
    for (const path of added) if (!existing.includes(path)) this.#missing.add(path)
    this.#watch(existing)
  }

  #watch(paths: readonly string[]): void {
    this.#files.add([...paths])
    // What changes before the watcher is ready is reported by nobody.
    setTimeout(() => {
      for (const path of paths) this.#touch(path)
    }, READY_MS).unref()
  }

  #findMissing(): void {
    for (const path of this.#missing) {
      if (!existsSync(path)) continue
      this.#missing.delete(path)
      this.#watch([path])
      this.#touch(path)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearInterval(this.#lookout)
    await Promise.all([this.#files.close(), this.#patterns?.close()])
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

// Starts a version of the server for each change of its files, and puts it in place of the one before once it has loaded.
import type { Front, Listed, Prepared } from './front.ts'
import { after, ChildFailure, type ServerChild } from './server-child.ts'

export interface ReloaderOptions {
  front: Front
  start(generation: number): Promise<ServerChild>
  /** How long a new version may take to load. */
  loadMs: number
  /** A debugger listens on one port, which only one version can have. */
  usesInspector: boolean
  onServing(prepared: Prepared, listed: Promise<Listed>, reload: Reload, ms: number): void
  onFailed(failure: Error, reload: Reload): void
  onLost(child: ServerChild, restartMs: number): void
}

export interface Reload {
  readonly kind: 'start' | 'change' | 'asked' | 'restart'
  readonly paths: readonly string[]
  readonly at: number
}

const [FIRST_BACK_OFF_MS, MAX_BACK_OFF_MS] = [100, 5_000]
/** A server that ran so long did not fail because of how it starts. */
const STABLE_MS = 10_000

export class Reloader {
  readonly #options: ReloaderOptions
  readonly #children = new Set<ServerChild>()
  #generation = 0
  #current: ServerChild | undefined
  #wanted: Reload | undefined
  #starting: ServerChild | undefined
  #running: Promise<void> | undefined
  #backOffMs = FIRST_BACK_OFF_MS
  #restart: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ReloaderOptions) {
    this.#options = options
  }

  get current(): ServerChild | undefined {
    return this.#current
  }

  /** Resolves when the newest version serves, or has failed. A version that is being loaded is given up for a newer one. */
  reload(kind: Reload['kind'], paths: readonly string[] = []): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    clearTimeout(this.#restart)
    this.#wanted = { kind, paths: [...new Set([...(this.#wanted?.paths ?? []), ...paths])], at: performance.now() }
    if (this.#starting !== undefined) void this.#starting.end()
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Ends every version. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#wanted = undefined
    clearTimeout(this.#restart)
    await this.#endAll()
    // It may have started one meanwhile.
    await this.#running
    await this.#endAll()
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#children].map((child) => child.end()))
  }

  async #run(): Promise<void> {
    for (let reload = this.#wanted; reload !== undefined; reload = this.#wanted) {
      this.#wanted = undefined
      await this.#replace(reload)
    }
  }

  async #replace(reload: Reload): Promise<void> {
    const { front, usesInspector } = this.#options
    let child: ServerChild | undefined
    try {
      if (usesInspector) await this.#current?.useInspector(false)
      this.#generation += 1
      child = await this.#options.start(this.#generation)
      this.#watch(child)
      // While its process was started, a newer version was asked for, or the end of all.
      if (this.#wanted !== undefined || this.#isClosed) return void child.end()
      this.#starting = child
      const prepared = await this.#within(child, front.prepare(child))
      this.#starting = undefined
      // It was given up for a newer one at the moment that it was ready.
      if (!child.isEnding) this.#serve(child, prepared, reload)
    } catch (error) {
      this.#starting = undefined
      // It was given up for a newer one.
      const isReplaced = this.#wanted !== undefined || this.#isClosed
      void child?.end()
      if (!isReplaced) this.#options.onFailed(error as Error, reload)
      if (usesInspector) await this.#current?.useInspector(true)
    }
  }

  /** The next change need not wait until the version before has finished its calls. */
  #serve(child: ServerChild, prepared: Prepared, reload: Reload): void {
    const before = this.#current
    this.#current = child
    const { listed, handedOver } = this.#options.front.swap(prepared)
    this.#options.onServing(prepared, listed, reload, performance.now() - reload.at)
    void handedOver.then(() => before?.end())
    if (child.hasExited) this.#lost(child)
  }

  async #within(child: ServerChild, preparing: Promise<Prepared>): Promise<Prepared> {
    const { loadMs } = this.#options
    preparing.catch(() => {})
    const tooLate = after(loadMs).then(() => {
      throw new ChildFailure([`mcpwire: The new version was not ready within ${loadMs / 1000} s.`])
    })
    const exited = child.exited
      .then(() => child.ready)
      .then(() => {
        throw new ChildFailure([`mcpwire: The server ${child.exit}.`])
      })
    for (const promise of [tooLate, exited]) promise.catch(() => {})
    return await Promise.race([preparing, exited, ...(loadMs === Infinity ? [] : [tooLate])])
  }

  #watch(child: ServerChild): void {
    this.#children.add(child)
    void child.exited.then(() => {
      this.#children.delete(child)
      if (child === this.#current && this.#starting !== child) this.#lost(child)
    })
  }

  /** It ended without being asked to. */
  #lost(child: ServerChild): void {
    if (child !== this.#current || this.#isClosed) return
    this.#current = undefined
    this.#options.front.lost(child)
    if (Date.now() - child.startedAt > STABLE_MS) this.#backOffMs = FIRST_BACK_OFF_MS
    const restartMs = this.#backOffMs
    this.#backOffMs = Math.min(MAX_BACK_OFF_MS, restartMs * 2)
    this.#options.onLost(child, restartMs)
    this.#restart = setTimeout(() => void this.reload('restart'), restartMs)
  }
}

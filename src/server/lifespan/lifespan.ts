// The lifespan of a server: entered when the first connection opens, ended when the last one has closed.
import { typeError } from '../../primitives/help.ts'

/**
 * Called once per start. A returned object with `Symbol.asyncDispose`, `Symbol.dispose` or `close()` is closed at the end. An
 * `async function*` yields the value once, and goes on after its `yield` at the end.
 */
export type Lifespan<T> = () => T | Promise<T> | AsyncGenerator<T, unknown, undefined>

/** Keeps the server running until it is released. Releasing it again does nothing. */
export interface Lease extends AsyncDisposable {
  /** Lets the server stop, if nobody else keeps it running. */
  release(): Promise<void>
}

/** What runs beside the lifespan; the function in return ends it. */
export interface WithinLifespan {
  start(): Promise<() => Promise<void>>
}

export class LifespanHolder<T> {
  readonly #enter: Lifespan<T> | undefined
  readonly #within: WithinLifespan | undefined
  readonly #around: WithinLifespan | undefined
  readonly #onEnded: (() => Promise<void> | undefined) | undefined
  #stop: (() => Promise<void>) | undefined
  #stopAround: (() => Promise<void>) | undefined
  #leases = 0
  #value: T | undefined
  #leave: (() => Promise<unknown>) | undefined
  #entering: Promise<void> | undefined
  #leaving: Promise<void> | undefined

  /**
   * `around` starts before the lifespan and ends after it; `within` starts after it and ends before it. `onEnded` is called when
   * all of it has ended.
   */
  constructor(
    enter: Lifespan<T> | undefined,
    within?: WithinLifespan,
    around?: WithinLifespan,
    onEnded?: () => Promise<void> | undefined,
  ) {
    this.#enter = enter
    this.#within = within
    this.#around = around
    this.#onEnded = onEnded
  }

  /** What the lifespan returned; `undefined` while the server does not run, and without a lifespan. */
  get value(): T | undefined {
    return this.#value
  }

  get leaseCount(): number {
    return this.#leases
  }

  /** Enters the lifespan unless it is entered already. A lifespan that fails to start fails every lease that waited for it. */
  async acquire(): Promise<Lease> {
    this.#leases += 1
    try {
      // Whoever released it has got the error. The next start does not depend on it.
      await this.#leaving?.catch(() => {})
      this.#entering ??= this.#start()
      await this.#entering
    } catch (error) {
      this.#leases -= 1
      this.#entering = undefined
      throw error
    }
    return this.#lease()
  }

  async #start(): Promise<void> {
    if (this.#around !== undefined) this.#stopAround = await this.#around.start()
    if (this.#around === undefined && this.#within === undefined) {
      await this.#begin()
      return
    }
    try {
      await this.#begin()
      this.#stop = await this.#within?.start()
    } catch (error) {
      await this.#end()
      throw error
    }
  }

  async #begin(): Promise<void> {
    const made = await this.#enter?.()
    if (!isAsyncGenerator<T>(made)) {
      this.#value = made
      this.#leave = () => dispose(made)
      return
    }
    const first = await made.next()
    if (first.done)
      throw typeError('wrong-result', 'The lifespan is a generator that yields no value. Let it yield one.')
    this.#value = first.value
    this.#leave = async () => {
      // A generator that yields once more is done all the same: it reaches its finally.
      if (!(await made.next()).done) await made.return(undefined)
    }
  }

  async #end(): Promise<void> {
    const stop = this.#stop
    this.#stop = undefined
    try {
      if (stop !== undefined) await stop()
    } finally {
      const leave = this.#leave
      this.#value = undefined
      this.#leave = undefined
      try {
        await leave?.()
      } finally {
        const stopAround = this.#stopAround
        this.#stopAround = undefined
        if (stopAround !== undefined) await stopAround()
        await this.#onEnded?.()
      }
    }
  }

  #lease(): Lease {
    let released: Promise<void> | undefined
    const release = () => {
      released ??= this.#release()
      return released
    }
    return { release, [Symbol.asyncDispose]: release }
  }

  async #release(): Promise<void> {
    this.#leases -= 1
    if (this.#leases > 0) return
    this.#entering = undefined
    this.#leaving = this.#end()
    try {
      await this.#leaving
    } finally {
      this.#leaving = undefined
    }
  }
}

interface MaybeDisposable {
  [Symbol.asyncDispose]?(): PromiseLike<void>
  [Symbol.dispose]?(): void
  close?(): unknown
}

/** By its tag: an iterable object that a lifespan returns is a value like any other. */
function isAsyncGenerator<T>(made: unknown): made is AsyncGenerator<T, unknown, undefined> {
  return Object.prototype.toString.call(made) === '[object AsyncGenerator]'
}

async function dispose(value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null) return
  const disposable = value as MaybeDisposable
  if (disposable[Symbol.asyncDispose] !== undefined) await disposable[Symbol.asyncDispose]?.()
  else if (disposable[Symbol.dispose] !== undefined) disposable[Symbol.dispose]?.()
  else await disposable.close?.()
}

// Commands and scripts with a deadline: waits for a connection that is being made again, reloads scripts, names errors.
import { setTimeout as delay } from 'node:timers/promises'
import { BackendError } from '../../backend/backend-error.ts'
import { withinTime } from '../../backend/deadline.ts'
import type { Script } from '../scripts/script.ts'
import type { RedisClient } from './client.ts'
import { replyCode, toBackendError } from './errors.ts'

/** More than these wait for no connection. */
const MAX_WAITING = 10_000
/** While a slot moves, its keys are in two places for a moment. */
const TRY_AGAIN_MS = 20

export interface EngineOptions {
  readonly timeoutMs: number
  /** Opens the backend, which sets `client`. Rejects where it is closed. */
  readonly open: () => Promise<void>
  /** A write counts as done when one replica has it too. */
  readonly isReplicated: boolean
}

export class Engine {
  readonly #options: EngineOptions
  readonly #waiting = new Set<() => void>()
  #client: RedisClient | undefined
  #stopListening: (() => void) | undefined
  /** When an operation first found no connection. */
  #downSince: number | undefined

  constructor(options: EngineOptions) {
    this.#options = options
  }

  get client(): RedisClient | undefined {
    return this.#client
  }

  /** `spublish` stays on the node of the channel; `publish` would go to all nodes of a cluster. */
  get publish(): 'publish' | 'spublish' {
    return this.#client?.isCluster === true ? 'spublish' : 'publish'
  }

  attach(client: RedisClient): void {
    this.#client = client
    this.#stopListening = client.onReady(() => this.#isUp())
  }

  detach(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#client = undefined
    this.#isUp()
  }

  /** A command whose first argument is its key. */
  async command(operation: string, name: string, key: string, args: readonly string[] = []): Promise<unknown> {
    const client = await this.#connected(operation)
    return this.#within(operation, this.#send(client, name, key, [key, ...args]))
  }

  /** As `command`, for writes of what must not get lost. */
  async write(operation: string, name: string, key: string, args: readonly string[] = []): Promise<unknown> {
    const client = await this.#connected(operation)
    return this.#within(operation, this.#replicated(operation, client, this.#send(client, name, key, [key, ...args])))
  }

  async script(operation: string, script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const client = await this.#connected(operation)
    return this.#within(operation, this.#run(client, script, keys, args))
  }

  async writeScript(
    operation: string,
    script: Script,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const client = await this.#connected(operation)
    return this.#within(operation, this.#replicated(operation, client, this.#run(client, script, keys, args)))
  }

  async #within<T>(operation: string, work: Promise<T>): Promise<T> {
    try {
      return await withinTime(operation, this.#options.timeoutMs, work)
    } catch (error) {
      throw toBackendError(operation, error)
    }
  }

  async #send(client: RedisClient, name: string, key: string, args: readonly string[]): Promise<unknown> {
    const { timeoutMs } = this.#options
    for (const giveUpAt = performance.now() + timeoutMs; ; ) {
      try {
        return await client.send(name, key, args)
      } catch (error) {
        if (!isMoving(error) || performance.now() > giveUpAt) throw error
        await delay(TRY_AGAIN_MS)
      }
    }
  }

  async #run(
    client: RedisClient,
    { text, digest }: Script,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const [key = ''] = keys
    const rest = [String(keys.length), ...keys, ...args]
    try {
      return await this.#send(client, 'evalsha', key, [digest, ...rest])
    } catch (error) {
      // Redis has run nothing. With its text the script runs, and stays.
      if (replyCode(error) !== 'NOSCRIPT') throw error
      return this.#send(client, 'eval', key, [text, ...rest])
    }
  }

  /** `WAIT` goes out behind the write, on the same connection, and counts all writes of that connection so far. */
  async #replicated<T>(operation: string, client: RedisClient, write: Promise<T>): Promise<T> {
    if (!this.#options.isReplicated) return write
    // Before the deadline, so that the error says what was missing.
    const waitMs = String(Math.ceil(this.#options.timeoutMs * 0.75))
    const [result, copies] = await Promise.all([write, client.send('wait', '', ['1', waitMs])])
    if (Number(copies) >= 1) return result
    const message = `${operation} reached no replica in time. durability: 'replicated' needs one.`
    throw new BackendError(message, { kind: 'unavailable', operation, outcome: 'unknown' })
  }

  /** The client, at once where it is connected. */
  #connected(operation: string): RedisClient | Promise<RedisClient> {
    const client = this.#client
    return client?.isReady === true ? client : this.#whenConnected(operation)
  }

  async #whenConnected(operation: string): Promise<RedisClient> {
    if (this.#client === undefined) {
      try {
        await this.#options.open()
      } catch (error) {
        throw renamed(operation, error)
      }
    }
    if (this.#client?.isReady === false) await this.#untilUp(operation)
    if (this.#client === undefined) throw closed(operation)
    return this.#client
  }

  /** A short break is waited for; in a long one every operation fails at once. */
  #untilUp(operation: string): Promise<void> {
    const now = performance.now()
    this.#downSince ??= now
    const leftMs = this.#downSince + this.#options.timeoutMs - now
    const error = () => unavailable(operation, this.#client?.lastError)
    if (leftMs <= 0 || this.#waiting.size >= MAX_WAITING) return Promise.reject(error())
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(up)
        reject(error())
      }, leftMs)
      const up = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#waiting.add(up)
    })
  }

  #isUp(): void {
    this.#downSince = undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const up of waiting) up()
  }
}

/** The slot of the keys is in two places. Redis has run nothing. */
function isMoving(error: unknown): boolean {
  if (replyCode(error) === 'TRYAGAIN') return true
  // What ioredis makes of it when it has tried often enough.
  return error instanceof Error && error.message.startsWith('Too many Cluster redirections')
}

export function closed(operation: string): BackendError {
  const message = `${operation} was called on a backend that is closed. Open it again first.`
  return new BackendError(message, { kind: 'unavailable', operation })
}

export function unavailable(operation: string, cause?: unknown): BackendError {
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : ''
  const message = `${operation} failed, because Redis is out of reach${reason}.`
  return new BackendError(message, { kind: 'unavailable', operation })
}

/** An error of `open`, for the operation that opened. */
export function renamed(operation: string, error: unknown): BackendError {
  const { message, kind, cause } = toBackendError('open', error)
  return new BackendError(message, { kind, operation, cause })
}

// Commands and scripts with a deadline: waits for a connection that is being made again, reloads scripts, names errors.
import { setTimeout as delay } from 'node:timers/promises'
import { BackendError } from '../../backend/backend-error.ts'
import { startDeadline, tooLate } from '../../backend/engine/deadline.ts'
import { Outage } from '../../backend/engine/outage.ts'
import type { Script } from '../scripts/script.ts'
import type { RedisClient } from './client.ts'
import { replyCode, toBackendError } from './errors.ts'

/** While a slot moves, its keys are in two places for a moment. */
const TRY_AGAIN_MS = 20

interface Call {
  readonly operation: string
  readonly name: string
  readonly key: string
  readonly args: readonly string[]
  readonly isWrite: boolean
  readonly script?: Script
}

export interface EngineOptions {
  readonly timeoutMs: number
  /** Opens the backend, which sets `client`. Rejects where it is closed. */
  readonly open: () => Promise<void>
  /** A write counts as done when one replica has it too. */
  readonly isReplicated: boolean
}

export class Engine {
  readonly #options: EngineOptions
  readonly #outage: Outage
  #client: RedisClient | undefined
  #stopListening: (() => void) | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#outage = new Outage(options.timeoutMs)
  }

  get client(): RedisClient | undefined {
    return this.#client
  }

  /** Of one operation. */
  get timeoutMs(): number {
    return this.#options.timeoutMs
  }

  /** `spublish` stays on the node of the channel; `publish` would go to all nodes of a cluster. */
  get publish(): 'publish' | 'spublish' {
    return this.#client?.isCluster === true ? 'spublish' : 'publish'
  }

  attach(client: RedisClient): void {
    this.#client = client
    this.#stopListening = client.onReady(() => this.#outage.over())
  }

  detach(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#client = undefined
    this.#outage.over()
  }

  /** A command whose first argument is its key. */
  command(operation: string, name: string, key: string, args: readonly string[] = []): Promise<unknown> {
    return this.#perform({ operation, name, key, args: [key, ...args], isWrite: false })
  }

  /** As `command`, for writes of what must not get lost. */
  write(operation: string, name: string, key: string, args: readonly string[] = []): Promise<unknown> {
    return this.#perform({ operation, name, key, args: [key, ...args], isWrite: true })
  }

  script(operation: string, script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#perform(callOf(operation, script, keys, args, false))
  }

  writeScript(operation: string, script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#perform(callOf(operation, script, keys, args, true))
  }

  #perform(call: Call): Promise<unknown> {
    const client = this.#client
    if (client?.isReady === true) return this.#sendInTime(client, call)
    return this.#whenConnected(call.operation).then((connected) => this.#sendInTime(connected, call))
  }

  /** Without further promises where nothing is wrong: this is the path of every operation. */
  #sendInTime(client: RedisClient, call: Call): Promise<unknown> {
    const { operation, name, key, args } = call
    const { timeoutMs, isReplicated } = this.#options
    return new Promise((resolve, reject) => {
      const stop = startDeadline(timeoutMs, () => reject(tooLate(operation, timeoutMs, 'unknown')))
      const succeed = (reply: unknown) => {
        stop()
        resolve(reply)
      }
      const fail = (error: unknown) => {
        stop()
        reject(toBackendError(operation, error))
      }
      if (isReplicated && call.isWrite) this.#replicated(client, call).then(succeed, fail)
      else {
        client.send(name, key, args).then(succeed, (error: unknown) => {
          this.#sendAgain(client, call, error).then(succeed, fail)
        })
      }
    })
  }

  /** After an error that says that Redis has done nothing, and will. */
  async #sendAgain(client: RedisClient, call: Call, first: unknown): Promise<unknown> {
    const giveUpAt = performance.now() + this.#options.timeoutMs
    let { name, args } = call
    for (let error = first; ; ) {
      if (replyCode(error) === 'NOSCRIPT' && call.script !== undefined) {
        // With its text the script runs, and stays.
        name = 'eval'
        args = [call.script.text, ...args.slice(1)]
      } else if (isMoving(error) && performance.now() < giveUpAt) await delay(TRY_AGAIN_MS)
      else throw error
      try {
        return await client.send(name, call.key, args)
      } catch (next) {
        error = next
      }
    }
  }

  /** `WAIT` goes out behind the write, on the same connection, and counts all writes of that connection so far. */
  async #replicated(client: RedisClient, call: Call): Promise<unknown> {
    const { operation, name, key, args } = call
    // Before the deadline, so that the error says what was missing.
    const waitMs = String(Math.ceil(this.#options.timeoutMs * 0.75))
    let wasRepeated = false
    const write = client.send(name, key, args).catch((error: unknown) => {
      wasRepeated = true
      return this.#sendAgain(client, call, error)
    })
    const wait = () => client.send('wait', '', ['1', waitMs])
    const [reply, first] = await Promise.all([write, wait()])
    // What was sent again went out behind the first `WAIT`.
    const copies = wasRepeated ? await wait() : first
    if (Number(copies) >= 1) return reply
    const message = `${operation} reached no replica in time. durability: 'replicated' needs one.`
    throw new BackendError(message, { kind: 'unavailable', operation, outcome: 'unknown' })
  }

  async #whenConnected(operation: string): Promise<RedisClient> {
    if (this.#client === undefined) {
      try {
        await this.#options.open()
      } catch (error) {
        throw renamed(operation, error)
      }
    }
    if (this.#client?.isReady === false)
      await this.#outage.whenOver(() => unavailable(operation, this.#client?.lastError))
    if (this.#client === undefined) throw closed(operation)
    return this.#client
  }
}

function callOf(
  operation: string,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
  isWrite: boolean,
): Call {
  const all = [script.digest, String(keys.length), ...keys, ...args]
  return { operation, name: 'evalsha', key: keys[0] as string, args: all, isWrite, script }
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

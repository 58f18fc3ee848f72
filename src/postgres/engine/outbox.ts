// What this node says to the others: rows in one statement with one NOTIFY, at most every 20 ms, because NOTIFY takes a lock of the
// whole database.
import { BackendError } from '../../backend/backend-error.ts'
import { startDeadline } from '../../backend/engine/deadline.ts'
import { toColumn, wellFormed } from '../../backend/stored-text.ts'
import type { Engine } from './engine.ts'

interface Outgoing {
  readonly pair: readonly [topic: string, text: string]
  resolve(): void
  reject(error: BackendError): void
}

const PUBLISH = 'topics.publish'
const BETWEEN_MS = 20
const MAX_AT_ONCE = 256
const MAX_CHARACTERS = 4_000_000
/** More than these do not wait for an engine that is slow. */
const MAX_WAITING = 10_000
/** Hints may get lost: where there are more, whoever listens finds them by looking. */
const MAX_HINTS = 1_000

const SEND = 'SELECT mcpwire.send($1, $2, $3)'

export class Outbox {
  readonly #engine: Engine
  readonly #waiting = new Set<Outgoing>()
  readonly #hints = new Map<string, readonly [topic: string, text: string]>()
  #isSending = false
  #sentAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(engine: Engine) {
    this.#engine = engine
    engine.onClose(() => {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#hints.clear()
      for (const { reject } of this.#waiting) reject(failed('unavailable', 'failed. The backend was closed.'))
      this.#waiting.clear()
    })
  }

  /** Resolves once the message is there for all that listen. */
  send(topic: string, text: string): Promise<void> {
    const { timeoutMs } = this.#engine
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= MAX_WAITING) {
        return reject(failed('unavailable', `failed, because ${MAX_WAITING} messages wait for Postgres already.`))
      }
      // Until it is sent: from then on the deadline of the engine counts.
      const stop = startDeadline(timeoutMs, () => {
        if (!this.#waiting.delete(one)) return
        reject(failed('timeout', `took longer than ${timeoutMs} ms. Postgres is overloaded or out of reach.`))
      })
      const one: Outgoing = {
        pair: [topic, wellFormed(toColumn(text))],
        resolve: () => {
          stop()
          resolve()
        },
        reject: (error) => {
          stop()
          reject(error)
        },
      }
      this.#waiting.add(one)
      this.#sendSoon()
    })
  }

  /** Nobody waits for a hint, and the same one is sent once. */
  hint(topic: string, text: string): void {
    if (this.#hints.size >= MAX_HINTS) return
    this.#hints.set(`${topic} ${text}`, [topic, text])
    this.#sendSoon()
  }

  #sendSoon(): void {
    if (this.#isSending || this.#timer !== undefined) return
    const waitMs = this.#sentAt + BETWEEN_MS - performance.now()
    if (waitMs <= 0) return void this.#sendNow()
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#sendNow()
    }, waitMs)
  }

  async #sendNow(): Promise<void> {
    // In one turn of the event loop many may come.
    this.#isSending = true
    await undefined
    this.#sentAt = performance.now()
    const batch = this.#nextBatch()
    const pairs = [...batch.map(({ pair }) => pair), ...this.#hints.values()]
    this.#hints.clear()
    try {
      const { namespace, channel } = this.#engine
      if (pairs.length > 0) await this.#engine.write(PUBLISH, SEND, [namespace, JSON.stringify(pairs), channel])
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error as BackendError)
    }
    this.#isSending = false
    if (this.#waiting.size > 0 || this.#hints.size > 0) this.#sendSoon()
  }

  #nextBatch(): readonly Outgoing[] {
    const batch: Outgoing[] = []
    let characters = 0
    for (const one of this.#waiting) {
      characters += one.pair[1].length
      if (batch.length === MAX_AT_ONCE || (batch.length > 0 && characters > MAX_CHARACTERS)) break
      batch.push(one)
      this.#waiting.delete(one)
    }
    return batch
  }
}

function failed(kind: 'timeout' | 'unavailable', what: string): BackendError {
  return new BackendError(`${PUBLISH} ${what}`, { kind, operation: PUBLISH })
}

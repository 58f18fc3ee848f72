// Subscriptions to plain subjects: one for each subject, however many listen to it here.
import { BackendError } from '../../backend/backend-error.ts'
import { withinTime } from '../../backend/engine/deadline.ts'
import { callSafely } from '../../backend/feed/feed-listeners.ts'
import { closed, toBackendError } from './failures.ts'
import type { Link } from './link.ts'
import { type NatsConnectionLike, type NatsMessage, textOf } from './nats-client.ts'

export interface SubjectListener {
  message(text: string): void
  /** What was published for a while is lost. */
  missed(): void
}

export interface SubjectSubscription {
  readonly ready: Promise<void>
  close(): void
}

interface Subject {
  readonly listeners: Set<SubjectListener>
  stop(): void
}

export class Subjects {
  readonly #link: Link
  readonly #subjects = new Map<string, Subject>()
  #flushing: Promise<void> | undefined

  constructor(link: Link) {
    this.#link = link
    link.onMended(() => void this.#tellMissed())
    link.onClose(() => this.#clear())
  }

  listen(operation: string, nameOf: () => string, listener: SubjectListener): SubjectSubscription {
    this.#link.checkOpen(operation)
    // Wrapped, so that a listener that is given twice is called twice and removed one by one.
    const own: SubjectListener = { message: (text) => listener.message(text), missed: () => listener.missed() }
    let isClosed = false
    let leave = () => {}
    const join = () => {
      if (!isClosed) leave = this.#join(nameOf(), own)
    }
    const ready = this.#begin(operation, join, () => isClosed)
    // Whoever does not wait for it learns of the failure by the next operation.
    ready.catch(() => {})
    return {
      ready,
      close: () => {
        isClosed = true
        leave()
        leave = () => {}
      },
    }
  }

  /** Resolves once the server has the message. */
  async publish(operation: string, nameOf: () => string, text: string): Promise<void> {
    const connection = this.#link.live ?? (await this.#connected(operation))
    try {
      connection.publish(nameOf(), text)
      await withinTime(operation, this.#link.timeoutMs, this.#flush(connection))
    } catch (error) {
      throw toBackendError(operation, error, 'unknown')
    }
  }

  /** Nobody waits for it, and it may get lost. */
  hint(name: string, text: string): void {
    const connection = this.#link.live
    if (connection !== undefined) callSafely(() => connection.publish(name, text))
  }

  async #begin(operation: string, join: () => void, isClosed: () => boolean): Promise<void> {
    const connection = this.#link.live ?? (await this.#connected(operation))
    join()
    if (isClosed()) return
    try {
      await withinTime(operation, this.#link.timeoutMs, this.#flush(connection))
    } catch (error) {
      // The subscription stays: the library makes it again, and `missed` follows.
      throw toBackendError(operation, error, 'unknown')
    }
  }

  async #connected(operation: string): Promise<NatsConnectionLike> {
    await this.#link.perform(operation, async () => {})
    const { live } = this.#link
    if (live !== undefined) return live
    throw new BackendError(`${operation} failed, because NATS is out of reach.`, { kind: 'unavailable', operation })
  }

  /** What is published or subscribed in one turn of the event loop has one round trip. */
  #flush(connection: NatsConnectionLike): Promise<void> {
    this.#flushing ??= Promise.resolve().then(() => {
      this.#flushing = undefined
      return this.#link.flush(connection)
    })
    return this.#flushing
  }

  #join(name: string, listener: SubjectListener): () => void {
    const subject = this.#subjects.get(name) ?? this.#subscribe(name)
    subject.listeners.add(listener)
    return () => {
      if (!subject.listeners.delete(listener) || subject.listeners.size > 0) return
      if (this.#subjects.get(name) !== subject) return
      this.#subjects.delete(name)
      subject.stop()
    }
  }

  #subscribe(name: string): Subject {
    const connection = this.#link.current
    if (connection === undefined) throw closed('topics.subscribe')
    const listeners = new Set<SubjectListener>()
    const callback = (error: Error | null, message: unknown) => {
      if (error !== null) return
      const text = textOf(message as NatsMessage)
      for (const listener of [...listeners]) if (listeners.has(listener)) callSafely(() => listener.message(text))
    }
    const subscription = connection.subscribe(name, { callback })
    const subject = { listeners, stop: () => callSafely(() => subscription.unsubscribe()) }
    this.#subjects.set(name, subject)
    return subject
  }

  /** The library has subscribed again. From the round trip on nothing is lost any more. */
  async #tellMissed(): Promise<void> {
    await this.#link.live?.flush().catch(() => {})
    for (const { listeners } of [...this.#subjects.values()]) {
      for (const listener of [...listeners]) callSafely(() => listener.missed())
    }
  }

  #clear(): void {
    for (const { listeners, stop } of this.#subjects.values()) {
      listeners.clear()
      stop()
    }
    this.#subjects.clear()
  }
}

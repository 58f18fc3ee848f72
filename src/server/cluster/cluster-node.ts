// One process among those that serve the same server: its name, its inbox, and messages to the others.
import type { Backend } from '../../backend/backend.ts'
import type { TopicSubscription } from '../../backend/topics.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { createDeferred, isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import type { JSONValue } from '../../types/protocol/json.ts'
import { randomName } from './digest.ts'
import { isLarge, isPacked, pack, unpack } from './large-messages.ts'
import { MissingRecords } from './missing-records.ts'
import { decodeNodeMessage, encodeNodeMessage, isNodeId, type NodeMessage, RECEIPT } from './node-message.ts'
import { knownKey, Presence, presenceKey } from './presence.ts'
import { SealCheck } from './seal-check.ts'

/** The topic that all nodes listen to. */
const EVERYONE = 'nodes'

/** A node says it to all others after it was out of their reach: what waits for it can be sent now. */
export const NODE_BACK = 'node-back'

/** How long a start waits for the inbox. */
const INBOX_MS = 2_000

/** Questions to other nodes that wait for their receipt. More of them count as unanswered at once. */
const MAX_ASKED = 10_000

/**
 * Handles a message of another node. What it returns is the receipt of a message that asked for one, the first one where
 * there are several handlers; `undefined` is none. `body` is JSON of a stranger.
 */
export type NodeHandler = (body: JSONValue, from: string) => MaybePromise<JSONValue | undefined>

export class ClusterNode {
  /** 12 random letters, digits, `-` and `_`: another one with every start. */
  readonly id = randomName(9)
  readonly backend: Backend
  readonly #faults: FaultReporter
  readonly #presence: Presence
  readonly #sealCheck: SealCheck
  readonly #missing = new MissingRecords()
  readonly #handlers = new Map<string, Set<NodeHandler>>()
  readonly #onMissed = new Set<() => void>()
  readonly #onBack = new Set<() => void>()
  readonly #asked = new Map<number, (answer: JSONValue | undefined) => void>()
  readonly #subscriptions: TopicSubscription[] = []
  #lastReceipt = 0
  #lastName = 0
  #ignored = 0
  #isClosed = false

  constructor(backend: Backend, faults: FaultReporter) {
    this.backend = backend
    this.#faults = faults
    this.#presence = new Presence(backend.records, faults, this.id, () => this.#reportBack())
    this.#sealCheck = new SealCheck(backend.records, faults, this.id)
  }

  /** Answers and progress of clients that were passed on to the node that waits for them. */
  routed = 0

  /** Messages that this release knows no kind of, and what was no message at all. */
  get ignored(): number {
    return this.#ignored
  }

  /** `<node>.<n>`: a name that no other node gives, and this one once. */
  nextName(): string {
    this.#lastName += 1
    return `${this.id}.${this.#lastName}`
  }

  /** Opens the inbox, then says that the node is alive. Rejects where it and the others could not read what each other stores. */
  async start(): Promise<void> {
    await this.#sealCheck.start()
    for (const topic of [inboxOf(this.id), EVERYONE]) {
      this.#subscriptions.push(
        this.backend.topics.subscribe(topic, {
          message: (text) => this.#receive(text),
          missed: () => this.#reportMissed(),
        }),
      )
    }
    const isReady = await settlesWithin(Promise.all(this.#subscriptions.map(({ ready }) => ready)), INBOX_MS)
    if (!isReady) {
      const message = `The inbox of this node was not ready within ${INBOX_MS} ms. Messages of other nodes may get lost.`
      this.#faults.report({ kind: 'transport', message })
    }
    await this.#presence.start()
  }

  /** Calls `handler` with the messages of one kind. The returned function ends that. */
  on(kind: string, handler: NodeHandler): () => void {
    const handlers = this.#handlers.get(kind) ?? new Set()
    this.#handlers.set(kind, handlers.add(handler))
    return () => void handlers.delete(handler)
  }

  /** Calls `listener` after messages to this node may have been lost. The returned function ends that. */
  onMissed(listener: () => void): () => void {
    this.#onMissed.add(listener)
    return () => void this.#onMissed.delete(listener)
  }

  /** Calls `listener` once the engine answers again after it was away. The returned function ends that. */
  onBack(listener: () => void): () => void {
    this.#onBack.add(listener)
    return () => void this.#onBack.delete(listener)
  }

  /**
   * To another node. Rejects with `BackendError` where the message could not be published; whether anybody reads it is not
   * known. What is no node gets nothing.
   */
  async send(node: string, kind: string, body: JSONValue): Promise<void> {
    if (isNodeId(node)) await this.#publish(inboxOf(node), { kind, from: this.id, body })
  }

  /** The answer of another node; `undefined` where it is gone, has no handler for it, or takes longer. Rejects as `send` does. */
  async ask(node: string, kind: string, body: JSONValue, withinMs: number): Promise<JSONValue | undefined> {
    if (this.#isClosed || this.#asked.size >= MAX_ASKED || !isNodeId(node)) return undefined
    this.#lastReceipt += 1
    const receipt = this.#lastReceipt
    const { promise, resolve } = createDeferred<JSONValue | undefined>()
    const timer = setTimeout(() => resolve(undefined), withinMs)
    this.#asked.set(receipt, resolve)
    try {
      await this.#publish(inboxOf(node), { kind, from: this.id, body, receipt })
      return await promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(receipt)
    }
  }

  /** To all other nodes. */
  async broadcast(kind: string, body: JSONValue): Promise<void> {
    await this.#publish(EVERYONE, { kind, from: this.id, body })
  }

  /**
   * Also true where that cannot be known yet, because the engine was away a moment ago, unless many looks have found no record.
   * Rejects with `BackendError` where the engine does not say.
   */
  async isAlive(node: string): Promise<boolean> {
    if (node === this.id) return !this.#isClosed
    if (!isNodeId(node)) return false
    return this.#isThere(presenceKey(node))
  }

  /**
   * Whether a node has started and not closed: it may be out of reach for now and come back. Rejects with `BackendError` where the
   * engine does not say.
   */
  async isKnown(node: string): Promise<boolean> {
    if (node === this.id) return !this.#isClosed
    if (!isNodeId(node)) return false
    return this.#isThere(knownKey(node))
  }

  /** The record of this node says from here on that it is about to end. */
  drain(): Promise<void> {
    return this.#presence.drain()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const receipt of this.#asked.keys()) this.#settle(receipt, undefined)
    for (const subscription of this.#subscriptions.splice(0)) subscription.close()
    await Promise.all([this.#presence.close(), this.#sealCheck.close()])
  }

  async #isThere(key: string): Promise<boolean> {
    if ((await this.backend.records.get(key)) === undefined) {
      const isGone = this.#missing.isGone(key)
      return !isGone && !this.#presence.isSettled
    }
    this.#missing.onFound(key)
    return true
  }

  async #publish(topic: string, message: NodeMessage): Promise<void> {
    const { records, topics } = this.backend
    const text = encodeNodeMessage(message)
    await topics.publish(topic, isLarge(text) ? await pack(records, text) : text)
  }

  /** Small messages are handled in the order and in the turn in which they come. */
  #receive(text: string): void {
    if (this.#isClosed) return
    if (isPacked(text)) void this.#unpack(text)
    else if (isLarge(text)) this.#ignore()
    else this.#read(text)
  }

  async #unpack(text: string): Promise<void> {
    try {
      const whole = await unpack(this.backend.records, text)
      if (whole === undefined) this.#ignore()
      else this.#read(whole)
    } catch (error) {
      this.#faults.report({ kind: 'transport', message: 'A large message of another node was not read.', error })
    }
  }

  #read(text: string): void {
    const message = decodeNodeMessage(text)
    if (message === undefined) this.#ignore()
    else if (message.from !== this.id) this.#deliver(message)
  }

  #deliver(message: NodeMessage): void {
    const { kind, receipt, body } = message
    if (kind === RECEIPT) {
      if (receipt !== undefined) this.#settle(receipt, body)
      return
    }
    const handlers = this.#handlers.get(kind)
    if (handlers === undefined || handlers.size === 0) this.#ignored += 1
    else for (const handler of handlers) this.#handle(handler, message)
  }

  #handle(handler: NodeHandler, message: NodeMessage): void {
    try {
      const answer = handler(message.body, message.from)
      if (isThenable(answer)) answer.then((value) => this.#answer(message, value)).catch(this.#reportHandler)
      else this.#answer(message, answer).catch(this.#reportHandler)
    } catch (error) {
      this.#reportHandler(error)
    }
  }

  async #answer({ from, receipt }: NodeMessage, answer: JSONValue | undefined): Promise<void> {
    if (receipt === undefined || answer === undefined) return
    await this.#publish(inboxOf(from), { kind: RECEIPT, from: this.id, body: answer, receipt })
  }

  readonly #reportHandler = (error: unknown): void => {
    this.#faults.report({ kind: 'transport', message: 'A message of another node could not be handled.', error })
  }

  #settle(receipt: number, answer: JSONValue | undefined): void {
    this.#asked.get(receipt)?.(answer)
    this.#asked.delete(receipt)
  }

  #ignore(): void {
    this.#ignored += 1
    const message = 'A message between nodes could not be read. Another program may write to the same namespace.'
    this.#faults.report({ kind: 'invalid-message', message })
  }

  #reportBack(): void {
    for (const listener of this.#onBack) listener()
    // Whoever does not hear it tries by itself after a while.
    this.broadcast(NODE_BACK, null).catch(() => {})
  }

  #reportMissed(): void {
    void this.#presence.onMissed()
    for (const listener of this.#onMissed) listener()
  }
}

function inboxOf(node: string): string {
  return `n.${node}`
}

/** Starts a node on a backend that is open. */
export async function startNode(backend: Backend, faults: FaultReporter): Promise<ClusterNode> {
  const node = new ClusterNode(backend, faults)
  await node.start()
  return node
}

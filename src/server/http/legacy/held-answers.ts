// Answers of clients that did not reach the node that waits for them: kept here, and sent again once that node can be reached.
// Clients differ in whether they send an answer again after 503, so that this node does it for them.
import type { FaultReporter } from '../../../dispatcher/fault.ts'
import { monotonicNow, type Timer, unref } from '../../../primitives/async/timer.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { type ClusterNode, NODE_BACK } from '../../cluster/cluster-node.ts'
import { KNOWN_TTL_MS } from '../../cluster/presence.ts'

/** The kind of message that carries an answer, or progress, to the node that waits for it. */
export const ROUTED = 'session-message'

/** What a node keeps at most: in all, of one session, and in characters. */
const MAX_HELD = 1_000
const MAX_PER_SESSION = 16
const MAX_LENGTH = 16 * 1024 * 1024

const RECEIPT_MS = 500
const TICK_MS = 1_000
/** A node that stays silent is tried after 1 s, then after twice as long each time. It says itself when it is back. */
const MAX_PAUSE_MS = 30_000

/** An answer on its way between nodes. */
export interface RoutedAnswer {
  /** The digest of the id of the session. */
  readonly session: string
  /** The digest of the caller, where the session could not be looked up: the node that waits compares it. */
  readonly owner?: string | null
  readonly message: JSONObject
}

interface Held {
  readonly answer: RoutedAnswer
  readonly length: number
  readonly until: number
}

/** The answers for one node. */
interface Target {
  readonly held: Map<string, Held>
  pauseMs: number
  dueAt: number
  isBusy: boolean
}

export class HeldAnswers {
  readonly #node: ClusterNode
  readonly #faults: FaultReporter
  readonly #targets = new Map<string, Target>()
  readonly #perSession = new Map<string, number>()
  readonly #detach: readonly (() => void)[]
  #count = 0
  #length = 0
  #timer: Timer | undefined
  #isClosed = false

  constructor(node: ClusterNode, faults: FaultReporter) {
    this.#node = node
    this.#faults = faults
    this.#detach = [
      node.on(NODE_BACK, (_, from) => {
        void this.#send(from)
        return undefined
      }),
      node.onBack(() => this.#sendAll()),
    ]
  }

  /** How many answers wait. */
  get size(): number {
    return this.#count
  }

  /** Keeps an answer until its node confirms it. Nothing happens where it is kept already, or where there is no room for it. */
  hold(node: string, answer: RoutedAnswer): void {
    if (this.#isClosed) return
    const target = this.#targets.get(node) ?? { held: new Map(), pauseMs: TICK_MS, dueAt: 0, isBusy: false }
    const key = keyOf(answer)
    if (target.held.has(key)) return
    const { length } = JSON.stringify(answer)
    const ofSession = this.#perSession.get(answer.session) ?? 0
    if (this.#count >= MAX_HELD || ofSession >= MAX_PER_SESSION || this.#length + length > MAX_LENGTH) {
      const message =
        'More answers of clients wait to be confirmed by other nodes than this node keeps. One was dropped.'
      this.#faults.report({ kind: 'overflow', message })
      return
    }
    if (target.held.size === 0) target.dueAt = monotonicNow() + target.pauseMs
    target.held.set(key, { answer, length, until: monotonicNow() + KNOWN_TTL_MS })
    this.#targets.set(node, target)
    this.#perSession.set(answer.session, ofSession + 1)
    this.#count += 1
    this.#length += length
    this.#schedule()
  }

  /** The client has sent it again, and it has arrived. */
  forget(node: string, answer: RoutedAnswer): void {
    this.#remove(node, keyOf(answer))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const detach of this.#detach) detach()
    this.#targets.clear()
    this.#perSession.clear()
    this.#count = 0
    this.#length = 0
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#count === 0 || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const now = monotonicNow()
      for (const [node, { dueAt }] of this.#targets) if (dueAt <= now) void this.#send(node)
      this.#schedule()
    }, TICK_MS)
    unref(this.#timer)
  }

  #sendAll(): void {
    for (const node of this.#targets.keys()) void this.#send(node)
  }

  /** One after the other, until one is not confirmed. Never rejects. */
  async #send(node: string): Promise<void> {
    const target = this.#targets.get(node)
    if (target === undefined || target.isBusy) return
    target.isBusy = true
    try {
      for (const [key, held] of [...target.held]) {
        if (held.until <= monotonicNow()) this.#giveUp(node, key)
        else if (await this.#isDone(node, held.answer)) this.#remove(node, key)
        else {
          target.pauseMs = Math.min(target.pauseMs * 2, MAX_PAUSE_MS)
          break
        }
      }
    } finally {
      target.isBusy = false
      target.dueAt = monotonicNow() + target.pauseMs
    }
  }

  /** Whether the node has it, or has closed, so that nobody waits. */
  async #isDone(node: string, { session, owner, message }: RoutedAnswer): Promise<boolean> {
    try {
      const body = owner === undefined ? { session, message } : { session, owner, message }
      const receipt = await this.#node.ask(node, ROUTED, body, RECEIPT_MS)
      return receipt !== undefined || !(await this.#node.isKnown(node))
    } catch {
      // The engine is away.
      return false
    }
  }

  #giveUp(node: string, key: string): void {
    this.#remove(node, key)
    const minutes = KNOWN_TTL_MS / 60_000
    const message = `The answer of a client was not passed on: its node could not be reached for ${minutes} minutes.`
    this.#faults.report({ kind: 'transport', message })
  }

  #remove(node: string, key: string): void {
    const target = this.#targets.get(node)
    const held = target?.held.get(key)
    if (target === undefined || held === undefined) return
    target.held.delete(key)
    if (target.held.size === 0) this.#targets.delete(node)
    const { session } = held.answer
    const left = (this.#perSession.get(session) ?? 1) - 1
    if (left === 0) this.#perSession.delete(session)
    else this.#perSession.set(session, left)
    this.#count -= 1
    this.#length -= held.length
  }
}

function keyOf({ session, message }: RoutedAnswer): string {
  return `${session}.${String(message['id'])}`
}

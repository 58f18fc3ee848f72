// Messages of a client that another node waits for: the ids that our requests and progress tokens carry say which one.
import { CANCELLED, PROGRESS } from '../../../dispatcher/context.ts'
import type { FaultReporter } from '../../../dispatcher/fault.ts'
import { isRequestId } from '../../../dispatcher/request-id.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { JSONObject, JSONValue } from '../../../types/protocol/json.ts'
import type { JSONRPCMessage, RequestId } from '../../../types/protocol/jsonrpc.ts'
import type { ClusterNode } from '../../cluster/cluster-node.ts'
import type { PostContent } from '../answers/post-content.ts'
import { RETRY_SOON, rejectTemporarily } from '../answers/reply.ts'
import { type HeldAnswers, ROUTED, type RoutedAnswer } from './held-answers.ts'
import type { LocalMessages, MessageRouter } from './session-channel.ts'

/** The kind of message that cancels a request on whichever node handles it. */
export const CANCEL = 'session-cancel'

/** `<node>.<n>`, as `ClusterNode` gives names. */
const ADDRESS = /^([\w-]{12})\.[0-9]{1,16}$/

/** Cancellations of one session that are passed on in a second. Each one costs every node a message. */
const MAX_CANCELLATIONS = 20
const WINDOW_MS = 1_000

/** Answers of one session that are on their way at once. More wait for these: a client can send any number that nobody asked for. */
const MAX_DELIVERING = 8

/** How long each try to deliver an answer waits for the receipt of the other node. */
const RECEIPTS_MS = [250, 500, 1_000]

/** What is for other nodes is under way; `rest` is for this one. */
interface RoutedBody {
  /** Rejects where a message could not be passed on. */
  readonly sending: Promise<void>
  /** `undefined` where nothing is left. */
  readonly rest: unknown
}

export class NodeRouter implements MessageRouter {
  readonly #node: ClusterNode
  readonly #answers: HeldAnswers
  readonly #session: string
  readonly #faults: FaultReporter
  readonly #waiting: (() => void)[] = []
  #delivering = 0
  #windowStart = Number.NEGATIVE_INFINITY
  #passedOn = 0

  /** `session` is the digest of its id. */
  constructor(node: ClusterNode, answers: HeldAnswers, session: string, faults: FaultReporter) {
    this.#node = node
    this.#answers = answers
    this.#session = session
    this.#faults = faults
  }

  route(exchange: HttpExchange, body: unknown, content: PostContent, local: LocalMessages): Promise<void> | undefined {
    const routed = this.#find(body, (id) => local.isOpen(id))
    return routed && this.#passOn(exchange, routed, content, local)
  }

  async #passOn(
    exchange: HttpExchange,
    { sending, rest }: RoutedBody,
    content: PostContent,
    local: LocalMessages,
  ): Promise<void> {
    try {
      await sending
    } catch (error) {
      this.#faults.report({ kind: 'transport', message: 'A message was not passed on to its node.', error })
      rejectTemporarily(exchange, 'The server could not pass this on. Try again later.', content.ids[0], RETRY_SOON)
      return
    }
    if (rest === undefined) exchange.reply(202)
    else await local.receive(exchange, rest, content)
  }

  #find(body: unknown, isLocal: (id: RequestId) => boolean): RoutedBody | undefined {
    if (Array.isArray(body)) return this.#routeBatch(body, isLocal)
    if (!isPlainObject(body)) return undefined
    const target = this.#targetOf(body)
    if (target !== undefined) return { sending: this.#pass(target, body), rest: undefined }
    this.#passCancellation(body, isLocal)
    return undefined
  }

  #routeBatch(messages: readonly unknown[], isLocal: (id: RequestId) => boolean): RoutedBody | undefined {
    const sends: Promise<void>[] = []
    const rest = messages.filter((message) => {
      if (!isPlainObject(message)) return true
      const target = this.#targetOf(message)
      if (target === undefined) {
        this.#passCancellation(message, isLocal)
        return true
      }
      sends.push(this.#pass(target, message))
      return false
    })
    if (sends.length === 0) return undefined
    const sending = Promise.all(sends).then(() => {})
    return { sending, rest: rest.length === 0 ? undefined : rest }
  }

  /** The other node that waits for an answer, or for progress. */
  #targetOf(message: JSONObject): string | undefined {
    const node = addressedNode(message)
    return node === this.#node.id ? undefined : node
  }

  #pass(target: string, message: JSONObject): Promise<void> {
    this.#node.routed += 1
    const body = { session: this.#session, message }
    return message['method'] === undefined ? this.#deliverInTurn(target, body) : this.#node.send(target, ROUTED, body)
  }

  async #deliverInTurn(target: string, answer: RoutedAnswer): Promise<void> {
    if (this.#delivering >= MAX_DELIVERING) await new Promise<void>((resolve) => void this.#waiting.push(resolve))
    else this.#delivering += 1
    try {
      await this.#deliver(target, answer)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#delivering -= 1
      else next()
    }
  }

  /**
   * A handler waits for an answer, and the node of the handler may be out of reach for a moment: an answer is sent again until
   * that node confirms it. Where it does not, the client gets an error, and this node keeps the answer and tries on. Nobody waits
   * at a node that has closed; one that was lost may yet come back.
   */
  async #deliver(target: string, answer: RoutedAnswer): Promise<void> {
    try {
      for (const withinMs of RECEIPTS_MS) {
        const receipt = await this.#node.ask(target, ROUTED, { ...answer }, withinMs)
        if (receipt !== undefined) {
          this.#answers.forget(target, answer)
          return
        }
        if (await this.#node.isAlive(target)) continue
        if (await this.#node.isKnown(target)) this.#answers.hold(target, answer)
        return
      }
    } catch (error) {
      this.#answers.hold(target, answer)
      throw error
    }
    this.#answers.hold(target, answer)
    throw new Error(`The node ${target} did not confirm the answer of a client.`)
  }

  /** The request may be at work on any node. A cancellation is a wish: one that is not passed on is reported, no more. */
  #passCancellation(message: JSONObject, isLocal: (id: RequestId) => boolean): void {
    const params = message['params']
    if (message['method'] !== CANCELLED || !isPlainObject(params)) return
    const { requestId, reason } = params
    if (!isRequestId(requestId) || isLocal(requestId)) return
    if (!this.#hasPlace()) {
      const text = `A session cancels more than ${MAX_CANCELLATIONS} requests of other nodes in a second.`
      this.#faults.report({ kind: 'overflow', message: text })
      return
    }
    const body = { session: this.#session, id: requestId, reason: typeof reason === 'string' ? reason : null }
    this.#node.broadcast(CANCEL, body).catch((error: unknown) => {
      this.#faults.report({ kind: 'transport', message: 'A cancellation was not passed on to other nodes.', error })
    })
  }

  #hasPlace(): boolean {
    const now = monotonicNow()
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now
      this.#passedOn = 0
    }
    this.#passedOn += 1
    return this.#passedOn <= MAX_CANCELLATIONS
  }
}

/** The node that a response or a progress notification is for; `undefined` for any other message. */
function addressedNode(message: JSONObject): string | undefined {
  const { method } = message
  if (method === undefined) return nodeIn(message['id'])
  if (method !== PROGRESS || !isPlainObject(message['params'])) return undefined
  return nodeIn(message['params']['progressToken'])
}

/** The node that waits for this response; `undefined` for any other message. */
export function answeredNode(message: JSONObject): string | undefined {
  return message['method'] === undefined ? addressedNode(message) : undefined
}

function nodeIn(id: unknown): string | undefined {
  return typeof id === 'string' && id.length <= 32 ? ADDRESS.exec(id)?.[1] : undefined
}

export interface RoutedMessage {
  /** The digest of its id. */
  readonly session: string
  /** The digest of the caller, where the node that got the message did not compare it. */
  readonly owner: string | null | undefined
  readonly message: JSONRPCMessage
}

/** What another node passed on, if it is an answer or progress for this one. The dispatcher checks the rest. */
export function readRouted(body: JSONValue, node: string): RoutedMessage | undefined {
  if (!isPlainObject(body) || typeof body['session'] !== 'string') return undefined
  const { session, owner, message } = body
  if (owner !== undefined && owner !== null && typeof owner !== 'string') return undefined
  if (!isPlainObject(message) || addressedNode(message) !== node) return undefined
  return { session, owner, message: message as unknown as JSONRPCMessage }
}

export interface Cancellation {
  readonly session: string
  readonly id: RequestId
  readonly reason: string | undefined
}

export function readCancellation(body: JSONValue): Cancellation | undefined {
  if (!isPlainObject(body)) return undefined
  const { session, id, reason } = body
  if (typeof session !== 'string' || !isRequestId(id)) return undefined
  return { session, id, reason: typeof reason === 'string' ? reason : undefined }
}

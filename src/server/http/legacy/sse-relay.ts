// HTTP+SSE on several nodes: a session lives with its stream, and a POST that reaches another node is passed on to that one.
import type { HttpExchange } from '../../../http/exchange.ts'
import type { Principal } from '../../../http/principal.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { AuthInfo } from '../../../types/protocol/auth.ts'
import type { JSONValue } from '../../../types/protocol/json.ts'
import type { ClusterNode } from '../../cluster/cluster-node.ts'
import { digestOf } from '../../cluster/digest.ts'
import { requestIdOf } from '../answers/post-content.ts'
import { acceptMessage, rejectInvalid, rejectTemporarily, rejectUnknownSession } from '../answers/reply.ts'

const MESSAGE = 'sse-message'

/** `<node>.<random>`: the node part says where the stream is. */
const SESSION_ID = /^([\w-]{12})\.[\w-]{22}$/

/** How long a POST waits for the node with the stream. */
const RECEIPT_MS = 2_000

/** A session of this node. */
export interface RelayedSession {
  isOwnedBy(principal: Principal): boolean
  /** Handles a message; returns what is wrong with one that it does not take. */
  deliver(message: unknown, auth: AuthInfo | undefined): string | undefined
}

/** What became of a message: `invalid` says why. */
type Relayed = 'accepted' | 'unknown' | 'unavailable' | { readonly invalid: string }

export class SseRelay {
  readonly #node: ClusterNode
  /** By the digest of their ids: an id is all that it takes to use a session. */
  readonly #sessions = new Map<string, RelayedSession>()
  readonly #detach: () => void

  constructor(node: ClusterNode) {
    this.#node = node
    this.#detach = node.on(MESSAGE, (body) => this.#receive(body))
  }

  /** Messages of other nodes reach the session from here on, until the returned function is called. */
  async add(id: string, session: RelayedSession): Promise<() => void> {
    const digest = await digestOf(id)
    this.#sessions.set(digest, session)
    return () => void this.#sessions.delete(digest)
  }

  /** Passes a message on to the node of its session, and answers the POST that brought it. */
  async pass(exchange: HttpExchange, id: string, message: unknown): Promise<void> {
    const outcome = await this.#pass(id, exchange.auth, message)
    if (outcome === 'accepted') acceptMessage(exchange)
    else if (outcome === 'unknown') rejectUnknownSession(exchange, requestIdOf(message))
    else if (outcome !== 'unavailable') rejectInvalid(exchange, 400, outcome.invalid, requestIdOf(message))
    else rejectTemporarily(exchange, 'The server could not pass this on. Try again later.', requestIdOf(message))
  }

  async #pass(id: string, auth: AuthInfo | undefined, message: unknown): Promise<Relayed> {
    const target = SESSION_ID.exec(id)?.[1]
    if (target === undefined || target === this.#node.id) return 'unknown'
    const session = await digestOf(id)
    const body = {
      session,
      message: message as JSONValue,
      ...(auth !== undefined && { auth: auth as unknown as JSONValue }),
    }
    try {
      const receipt = await this.#node.ask(target, MESSAGE, body, RECEIPT_MS)
      if (receipt === 'accepted' || receipt === 'unknown') return receipt
      if (isPlainObject(receipt) && typeof receipt['invalid'] === 'string') return { invalid: receipt['invalid'] }
      return (await this.#node.isAlive(target)) ? 'unavailable' : 'unknown'
    } catch {
      return 'unavailable'
    }
  }

  close(): void {
    this.#detach()
  }

  #receive(body: JSONValue): JSONValue | undefined {
    if (!isPlainObject(body) || typeof body['session'] !== 'string') return undefined
    const auth = body['auth'] === undefined ? undefined : readAuth(body['auth'] as JSONValue)
    const session = this.#sessions.get(body['session'])
    // Another endpoint of this server may have it: then that one answers.
    if (session === undefined || auth === null) return undefined
    if (!session.isOwnedBy(auth)) return 'unknown'
    const problem = session.deliver(body['message'], auth)
    return problem === undefined ? 'accepted' : { invalid: problem }
  }
}

/** The caller as the other node has verified it; `null` for what is none. */
function readAuth(value: JSONValue): AuthInfo | null {
  if (!isPlainObject(value)) return null
  const { clientId, scopes, issuer, subject, expiresAt } = value
  const isFit =
    typeof clientId === 'string' &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === 'string') &&
    [issuer, subject].every((text) => text === undefined || typeof text === 'string') &&
    (expiresAt === undefined || typeof expiresAt === 'number')
  return isFit ? (value as unknown as AuthInfo) : null
}

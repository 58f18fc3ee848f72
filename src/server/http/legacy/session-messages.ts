// What other nodes say about sessions: that one has ended or changed, answers for its requests, and cancellations.
import { CANCELLED } from '../../../dispatcher/context.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { JSONValue } from '../../../types/protocol/json.ts'
import { JSONRPC_VERSION, type JSONRPCMessage } from '../../../types/protocol/jsonrpc.ts'
import type { ClusterNode } from '../../cluster/cluster-node.ts'
import { SESSION_CHANGED } from '../../cluster/kept-session.ts'
import { ROUTED } from './held-answers.ts'
import { CANCEL, readCancellation, readRouted } from './node-router.ts'
import type { Session } from './session.ts'

/** The kind of message that says that a session has ended. */
const SESSION_ENDED = 'session-ended'

/** The sessions that have an object on this node. */
export interface SessionsHere {
  find(digest: string): Session | undefined
  leave(session: Session): Promise<void>
  /** Reads its record anew. */
  verify(session: Session): Promise<unknown>
  /** Removes what this node has written for a session that has ended. */
  endStreams(digest: string): void
}

export class SessionMessages {
  readonly #node: ClusterNode
  readonly #here: SessionsHere
  readonly #detach: readonly (() => void)[]

  constructor(node: ClusterNode, here: SessionsHere) {
    this.#node = node
    this.#here = here
    this.#detach = [
      node.on(SESSION_ENDED, (body) => this.#onEnded(body)),
      node.on(SESSION_CHANGED, (body) => this.#onChanged(body)),
      node.on(ROUTED, (body) => this.#onRouted(body)),
      node.on(CANCEL, (body) => this.#onCancelled(body)),
    ]
  }

  /** To all other nodes. */
  sayEnded(digest: string): Promise<void> {
    return this.#node.broadcast(SESSION_ENDED, { session: digest })
  }

  /** Whether the session is here. `owner` is compared where no other node has done that. */
  receive(digest: string, owner: string | null | undefined, message: JSONRPCMessage): boolean {
    const session = this.#here.find(digest)
    if (session === undefined) return false
    if (owner !== undefined && owner !== session.kept?.record?.principal) return false
    session.receiveFromNode(message)
    return true
  }

  close(): void {
    for (const detach of this.#detach) detach()
  }

  #onEnded(body: JSONValue): undefined {
    void this.#leaveEnded(body)
  }

  /** Streams of the session that this node has written are removed, also where its object has gone before. */
  async #leaveEnded(body: JSONValue): Promise<void> {
    const digest = digestIn(body)
    if (digest === undefined) return
    const session = this.#here.find(digest)
    if (session !== undefined) await this.#here.leave(session)
    this.#here.endStreams(digest)
  }

  /** The receipt says that the change holds here. */
  async #onChanged(body: JSONValue): Promise<JSONValue | undefined> {
    const session = this.#here.find(digestIn(body) ?? '')
    if (session === undefined) return undefined
    await this.#here.verify(session)
    return true
  }

  /** Confirms the message also where nobody waits for it: then it needs no second try. */
  #onRouted(body: JSONValue): JSONValue | undefined {
    const routed = readRouted(body, this.#node.id)
    if (routed === undefined) return undefined
    this.receive(routed.session, routed.owner, routed.message)
    return true
  }

  #onCancelled(body: JSONValue): undefined {
    const { session, id, reason } = readCancellation(body) ?? {}
    if (session === undefined || id === undefined) return
    const params = reason === undefined ? { requestId: id } : { requestId: id, reason }
    this.#here.find(session)?.cancelFromNode(id, { jsonrpc: JSONRPC_VERSION, method: CANCELLED, params })
  }
}

function digestIn(body: JSONValue): string | undefined {
  const digest = isPlainObject(body) ? body['session'] : undefined
  return typeof digest === 'string' ? digest : undefined
}

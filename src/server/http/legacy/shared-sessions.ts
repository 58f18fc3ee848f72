// Sessions that any node serves: each has a record, and an object on the nodes that it is used on.
import { BackendError } from '../../../backend/backend-error.ts'
import { estimateBytes } from '../../../dispatcher/backpressure.ts'
import { type Principal, principalKey } from '../../../http/principal.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { type Timer, unref } from '../../../primitives/async/timer.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { JSONRPCMessage } from '../../../types/protocol/jsonrpc.ts'
import { isLegacyVersion } from '../../../types/protocol/versions.ts'
import type { ClusterNode } from '../../cluster/cluster-node.ts'
import { digestOf } from '../../cluster/digest.ts'
import { KeptSession } from '../../cluster/kept-session.ts'
import { DATA_VERSION } from '../../cluster/presence.ts'
import type { SessionRecord } from '../../cluster/session-record.ts'
import { SessionRegistry, type StoredSession } from '../../cluster/session-registry.ts'
import type { ConnectionCore } from '../../connection.ts'
import type { ServerCore } from '../../core.ts'
import { checkWatched, MAX_CLIENT_BYTES } from '../../subscriptions/kept-bytes.ts'
import { spread } from '../answers/spread.ts'
import { createRandomToken } from '../guards/random-token.ts'
import type { ListeningRecord } from '../log-streams/log-standalone.ts'
import { type LogStreams, logStreamsOf } from '../log-streams/log-streams.ts'
import { SessionLogs } from '../log-streams/session-logs.ts'
import { HeldAnswers } from './held-answers.ts'
import { answerWhenStored } from './initialize-answer.ts'
import type { LegacySettings } from './legacy.ts'
import type { SessionLimits } from './legacy-options.ts'
import { answeredNode, NodeRouter } from './node-router.ts'
import { Session, type SharedParts } from './session.ts'
import { isAway, SessionLooks } from './session-looks.ts'
import { type SessionDirectory, SessionSlots } from './session-manager.ts'
import { SessionMessages } from './session-messages.ts'

/** 256 random bits: without authorization the id is all that protects a session. */
const ID_BYTES = 32
const SESSION_ID = /^[\w-]{43}$/

const MAX_SWEEP_MS = 30_000

/** Sessions that are looked at to find one that can make room. */
const MAX_LOOKED_AT = 100

interface LoadedSession {
  readonly digest: string
  readonly stored: StoredSession
}

export class SharedSessions implements SessionDirectory {
  readonly #server: ServerCore
  readonly #settings: LegacySettings
  readonly #limits: SessionLimits
  readonly #node: ClusterNode
  readonly #registry: SessionRegistry
  readonly #answers: HeldAnswers
  readonly #streams: LogStreams
  /** Counts objects. How many sessions a principal has is counted for all nodes, in the engine. */
  readonly #slots: SessionSlots
  readonly #leaving = new Set<Promise<void>>()
  /** Those that were checked last come last. */
  readonly #byId = new Map<string, Session>()
  readonly #byDigest = new Map<string, Session>()
  readonly #loading = new Map<string, Promise<LoadedSession | undefined>>()
  readonly #looks: SessionLooks
  readonly #messages: SessionMessages
  readonly #stopMissed: () => void
  #timer: Timer | undefined
  #isClosed = false

  constructor(server: ServerCore, settings: LegacySettings, limits: SessionLimits, node: ClusterNode) {
    this.#server = server
    this.#settings = settings
    this.#limits = limits
    this.#node = node
    this.#registry = new SessionRegistry(node.backend, server.faults, limits.idleMs)
    this.#answers = new HeldAnswers(node, server.faults)
    this.#streams = logStreamsOf(node, server.faults)
    this.#slots = new SessionSlots({ max: limits.max, maxPerPrincipal: Infinity })
    this.#looks = new SessionLooks(limits, this.#byId, (session) => this.#verify(session))
    this.#messages = new SessionMessages(node, {
      find: (digest) => this.#byDigest.get(digest),
      leave: (session) => this.#leave(session),
      verify: (session) => this.#verify(session),
      endStreams: (digest) => this.#streams.endSession(digest),
    })
    this.#stopMissed = node.onMissed(() => void this.#looks.lookAtAll())
  }

  get size(): number {
    return this.#byId.size
  }

  find(id: string, principal: Principal): MaybePromise<Session | undefined> {
    // Before any trip: ids of another form are not ours.
    if (!SESSION_ID.test(id)) return undefined
    if (this.#isClosed) return Promise.reject(closed())
    const session = this.#byId.get(id)
    if (session === undefined) return this.#restore(id, principal)
    if (!session.isOwnedBy(principal)) return undefined
    return keptOf(session).age < this.#limits.checkMs ? session : this.#verify(session)
  }

  reserve(): boolean {
    return this.#slots.take(undefined) || (this.#makeRoom() && this.#slots.take(undefined))
  }

  async create(principal: Principal): Promise<Session | undefined> {
    const id = createRandomToken(ID_BYTES)
    const digest = await digestOf(id)
    const owner = await ownerOf(principal)
    const { maxPerPrincipal } = this.#limits
    if (owner !== null && !(await this.#registry.hold(owner, digest, maxPerPrincipal))) return undefined
    return this.#make(id, digest, principal, owner, createRandomToken(ID_BYTES))
  }

  settle(session: Session): void {
    this.#add(session)
  }

  abandon(_principal: Principal, session?: Session): void {
    this.#slots.release(undefined)
    if (session !== undefined) void this.#discard(session)
  }

  async #discard(session: Session): Promise<void> {
    const { digest, record } = keptOf(session)
    try {
      const owner = await ownerOf(session.principal)
      if (record !== undefined) await this.#registry.delete(digest)
      if (owner !== null) await this.#registry.release(owner, digest)
    } catch {
      // Both go by themselves when their time is over.
    }
  }

  async takeAnswer(id: string, principal: Principal, message: JSONObject): Promise<boolean> {
    const target = answeredNode(message)
    if (target === undefined || !SESSION_ID.test(id) || this.#isClosed) return false
    const [digest, owner] = await Promise.all([digestOf(id), ownerOf(principal)])
    if (target !== this.#node.id) {
      this.#answers.hold(target, { session: digest, owner, message })
      return false
    }
    return this.#messages.receive(digest, owner, message as unknown as JSONRPCMessage)
  }

  /** For all nodes. Rejects with `BackendError` where the record could not be deleted. */
  async end(session: Session): Promise<void> {
    const { digest, record } = keptOf(session)
    await this.#registry.delete(digest)
    const principal = record?.principal ?? null
    const last = [this.#messages.sayEnded(digest)]
    if (principal !== null) last.push(this.#registry.release(principal, digest))
    // A node that does not hear of it learns it with its next check.
    await Promise.allSettled([...last, this.#leave(session)])
    this.#streams.endSession(digest, record?.streamKey)
  }

  endStreams(withinMs: number, hurry: Promise<unknown>): Promise<void> {
    const listening = [...this.#byId.values()].filter((session) => session.isListening)
    return spread(
      listening.map((session) => () => session.endListening()),
      withinMs,
      hurry,
    )
  }

  /** Other nodes serve the sessions on. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#answers.close()
    this.#looks.close()
    const leaving = [...this.#byId.values()].map((session) => this.#leave(session))
    // Also those that have ended a moment ago: the backend is not closed before they have stored what they know.
    await Promise.all([...leaving, ...this.#leaving])
    this.#messages.close()
    this.#stopMissed()
  }

  async #verify(session: Session): Promise<Session | undefined> {
    const kept = keptOf(session)
    try {
      if (await kept.check()) return this.#use(session)
    } catch (error) {
      if (!isAway(error) || kept.age >= this.#limits.graceMs) throw error
      return session
    }
    await this.#leave(session)
    this.#streams.endSession(kept.digest)
    return undefined
  }

  #use(session: Session): Session {
    if (this.#byId.delete(session.id)) this.#byId.set(session.id, session)
    keptOf(session).renew(this.#limits.maxPerPrincipal)
    return session
  }

  async #restore(id: string, principal: Principal): Promise<Session | undefined> {
    const [loaded, owner] = await Promise.all([this.#load(id), ownerOf(principal)])
    if (loaded === undefined || loaded.stored.record.principal !== owner) return undefined
    const { digest, stored } = loaded
    if (!this.#server.supportedVersions.includes(stored.record.version)) return undefined
    const known = this.#byId.get(id)
    if (known !== undefined) return known
    if (this.#isClosed) throw closed()
    if (!this.reserve()) throw new BackendError('This node has too many sessions in use.', BUSY)
    const session = this.#make(id, digest, principal, owner, stored.record.streamKey)
    try {
      keptOf(session).take(stored)
    } catch (cause) {
      this.#slots.release(undefined)
      void session.close()
      throw new BackendError('This node has too many sessions to add this one.', { ...BUSY, cause })
    }
    this.#add(session)
    return this.#use(session)
  }

  /** One trip for all requests that come at once. */
  #load(id: string): Promise<LoadedSession | undefined> {
    const known = this.#loading.get(id)
    if (known !== undefined) return known
    const loading = this.#read(id).finally(() => this.#loading.delete(id))
    this.#loading.set(id, loading)
    return loading
  }

  async #read(id: string): Promise<LoadedSession | undefined> {
    const digest = await digestOf(id)
    const stored = await this.#registry.read(digest)
    return stored && { digest, stored }
  }

  #make(id: string, digest: string, principal: Principal, owner: string | null, streamKey: string): Session {
    const kept = new KeptSession(
      this.#node,
      this.#registry,
      digest,
      (record) => this.#apply(session, record),
      () => this.#server.subscriptions?.catchUp(session.connection),
      checkWatched,
    )
    const router = new NodeRouter(this.#node, this.#answers, digest, this.#server.faults)
    const store = async (connection: ConnectionCore) => {
      const { protocolVersion: version, clientParams: params, serverCapabilities: declared = {} } = connection
      // Without params a middleware has answered in place of the handshake: there is no session.
      if (params === undefined || !isLegacyVersion(version)) return
      const facts = { v: DATA_VERSION, principal: owner, home: this.#node.id, streamKey } as const
      await kept.create({ ...facts, version, params, declared, isInitialized: false, watched: [] })
    }
    const { streams } = this.#settings
    const logOwner = { session: digest, caller: owner }
    const logs = new SessionLogs(this.#streams, streams, streamKey, listeningIn(kept), logOwner)
    const answer: SharedParts['answer'] = (connection, reply, message) =>
      answerWhenStored(store(connection), reply, message, this.#server.faults)
    const session = new Session(this.#server, this.#settings, principal, { id, kept, router, logs, answer })
    return session
  }

  /** Makes the object of a session what its record says. Throws `MCPError` where there is no room for it. */
  #apply(
    { connection }: Session,
    { version, params, declared, isInitialized, logLevel, watched }: SessionRecord,
  ): void {
    if (connection.clientParams === undefined) {
      connection.keep(estimateBytes(params, MAX_CLIENT_BYTES), this.#server.kept)
      connection.establish(version, params, declared)
    }
    if (isInitialized && !connection.isInitialized) connection.markReady()
    connection.logLevel = logLevel
    this.#server.subscriptions?.restore(connection, watched)
  }

  #add(session: Session): void {
    this.#byId.set(session.id, session)
    this.#byDigest.set(keptOf(session).digest, session)
    this.#schedule()
  }

  /** Removes the object from this node. The session goes on elsewhere, if it has not ended. */
  async #leave(session: Session): Promise<void> {
    if (this.#byId.delete(session.id)) this.#slots.release(undefined)
    this.#byDigest.delete(keptOf(session).digest)
    const leaving = session.close()
    this.#leaving.add(leaving)
    await leaving.finally(() => this.#leaving.delete(leaving))
  }

  /** Removes one that is not in use, of those that were checked longest ago. */
  #makeRoom(): boolean {
    let lookedAt = 0
    for (const session of this.#byId.values()) {
      lookedAt += 1
      if (lookedAt > MAX_LOOKED_AT) return false
      if (session.isInUse) continue
      void this.#leave(session)
      return true
    }
    return false
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#byId.size === 0) return
    const { localIdleMs, idleMs } = this.#limits
    const ms = Math.max(Math.min(localIdleMs / 2, idleMs / 2, this.#looks.everyMs, MAX_SWEEP_MS), 1)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sweep()
      this.#schedule()
    }, ms)
    unref(this.#timer)
  }

  #sweep(): void {
    for (const session of this.#byId.values()) {
      if (session.isIdle(this.#limits.localIdleMs)) void this.#leave(session)
    }
    void this.#looks.lookAtDue()
  }
}

const BUSY = { kind: 'refused', operation: 'records.get' } as const

function keptOf({ kept }: Session): KeptSession {
  if (kept === undefined) throw new Error('A session without a record is among those that have one.')
  return kept
}

/** The part of the record that says which node has the stream of the session. */
function listeningIn(kept: KeptSession): ListeningRecord {
  return {
    get listening() {
      return kept.record?.listening
    },
    check: () => kept.check(),
    onHeld: () => kept.onListening(),
    change: (change) =>
      kept.update((record) => {
        const listening = change(record.listening)
        return listening && { ...record, listening }
      }),
  }
}

/** As it stands in records and names: nothing of a token, and nothing that tells who it is. */
async function ownerOf(principal: Principal): Promise<string | null> {
  return principal === undefined ? null : digestOf(principalKey(principal))
}

function closed(): BackendError {
  return new BackendError('This node is shutting down.', { kind: 'unavailable', operation: 'records.get' })
}

// The streams of one node whose events are in logs: those that it writes, and those of other nodes that it carries to a client.
import type { LogEntry, Logs } from '../../../backend/logs.ts'
import type { Fault, FaultReporter } from '../../../dispatcher/fault.ts'
import { monotonicNow, type Timer, unref } from '../../../primitives/async/timer.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { JSONValue } from '../../../types/protocol/json.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'
import type { ClusterNode } from '../../cluster/cluster-node.ts'
import { EventStream, type StreamSettings } from '../streams/event-stream.ts'
import { LOG_TTL_MS, LogEvents, type LogWriter } from './log-events.ts'
import { type LogOwner, LogUse } from './log-use.ts'
import { createStreamName, logOf, type Position, parsePosition, positionText } from './stream-name.ts'

/** Asks the writer of a stream to say to the asking node what it stores from here on. */
const FOLLOW = 'stream-follow'
/** An entry was stored. */
const ENTRY = 'stream-entry'
/** Another node or connection carries the stream. */
const REPLACED = 'stream-replaced'

/** Asks whether a node carries the own stream of a session, or is about to. */
const HELD = 'stream-held'

/** What the writer says: it goes on, its events are not all stored, or it has no such stream. */
export type WriterAnswer = 'following' | 'broken' | 'unknown'

const FOLLOW_MS = 500
const HELD_MS = 250
const TICK_MS = 1_000
const SOON_MS = 2
const KEEP_ALIVE_MS = LOG_TTL_MS / 3
/** Larger entries are read from the log. */
const MAX_HINT_LENGTH = 16_384
const LOG = /^l:[\w-]{43}$/

/** A log that this node carries to a client. */
export interface CarriedLog {
  /** The node that writes it; `undefined` for a log with many writers. */
  readonly writer: string | undefined
  /** There may be more in the log: this entry, where it is given. */
  look(entry?: LogEntry, isLast?: boolean): void
  /** Once a second. */
  tick(): void
  replace(): void
}

/** The own stream of a session, on a node that serves the session. */
export interface StandaloneLog {
  readonly log: string
  readonly isHeld: boolean
  /** How far the connection of this turn came, where it was here and has ended. */
  sentIn(turn: number): Position | undefined
  keepAlive(): void
}

interface Written {
  readonly stream: EventStream
  readonly events: LogEvents
  keptAliveAt: number
}

const ofNode = new WeakMap<ClusterNode, LogStreams>()

/** The one object for all endpoints of a node. */
export function logStreamsOf(node: ClusterNode, faults: FaultReporter): LogStreams {
  const known = ofNode.get(node)
  if (known !== undefined) return known
  const streams = new LogStreams(node, faults)
  ofNode.set(node, streams)
  return streams
}

export class LogStreams implements LogWriter {
  isRemote = false
  readonly node: string
  readonly logs: Logs
  readonly #cluster: ClusterNode
  readonly #faults: FaultReporter
  readonly #written = new Map<string, Written>()
  readonly #carried = new Map<string, CarriedLog>()
  readonly #standalone = new Map<string, StandaloneLog>()
  readonly #use = new LogUse({ ttlMs: LOG_TTL_MS, drop: (log) => void this.#drop(log) })
  #timer: Timer | undefined
  #soon: LogEvents[] | undefined

  constructor(cluster: ClusterNode, faults: FaultReporter) {
    this.node = cluster.id
    this.logs = cluster.backend.logs
    this.#cluster = cluster
    this.#faults = faults
    cluster.on(FOLLOW, (body, from) => this.#onFollow(body, from))
    cluster.on(ENTRY, (body, from) => this.#onEntry(body, from))
    cluster.on(HELD, (body) => this.#onHeld(body))
    cluster.on(REPLACED, (body, from) => this.#onReplaced(body, from))
    // What was said meanwhile is lost, and in the logs.
    cluster.onMissed(() => this.#lookEverywhere())
  }

  report(fault: Fault): void {
    this.#faults.report(fault)
  }

  /** Opens a stream that this node writes, for the answers to these requests. */
  open(settings: StreamSettings, streamKey: string, owner: LogOwner, ids: readonly RequestId[]): EventStream {
    const id = createStreamName(this.node)
    const events = new LogEvents(this, logOf(streamKey, id), ids)
    this.#use.open(events.log, owner)
    const stream = new EventStream(settings, id, events)
    this.#written.set(events.log, { stream, events, keptAliveAt: monotonicNow() })
    this.#schedule()
    return stream
  }

  /** A stream that this node writes, to be resumed here: no other node carries it from here on. */
  reclaim(log: string): EventStream | undefined {
    const written = this.#written.get(log)
    if (written?.events.follower !== undefined) {
      this.tellReplaced(written.events.follower, log)
      written.events.follower = undefined
    }
    return written?.stream
  }

  /** Carries a log, in place of the connection that carried it before. */
  carry(log: string, carried: CarriedLog): void {
    this.#carried.get(log)?.replace()
    this.#carried.set(log, carried)
    this.#schedule()
  }

  release(log: string, carried: CarriedLog): void {
    if (this.#carried.get(log) === carried) this.#carried.delete(log)
  }

  addStandalone(standalone: StandaloneLog): void {
    this.#standalone.set(standalone.log, standalone)
  }

  removeStandalone(standalone: StandaloneLog): void {
    if (this.#standalone.get(standalone.log) === standalone) this.#standalone.delete(standalone.log)
  }

  /**
   * `true` where that node has a connection for the log. Else how far the connection of this turn came, or `false` where the node
   * does not know that, or does not answer in time.
   */
  async askHolder(node: string, log: string, turn: number): Promise<boolean | Position> {
    const answer = await this.#cluster.ask(node, HELD, { log, turn }, HELD_MS)
    return answer === true || (typeof answer === 'string' && (parsePosition(answer) ?? false))
  }

  /** Asks the writer to send its entries here. `undefined` where it is silent. */
  async askWriter(writer: string, log: string): Promise<WriterAnswer | undefined> {
    if (writer === this.node) return this.#written.has(log) ? 'following' : 'unknown'
    const answer = await this.#cluster.ask(writer, FOLLOW, { log }, FOLLOW_MS)
    return answer === 'following' || answer === 'broken' || answer === 'unknown' ? answer : undefined
  }

  isAlive(node: string): Promise<boolean> {
    return this.#cluster.isAlive(node)
  }

  tellReplaced(node: string, log: string): void {
    this.#send(node, REPLACED, { log })
  }

  announce(follower: string, log: string, { seq, data }: LogEntry, isLast: boolean): void {
    this.#send(follower, ENTRY, data.length > MAX_HINT_LENGTH ? { log, seq } : { log, seq, data, isLast })
  }

  /** One timer for all that begin at about the same time. */
  callSoon(events: LogEvents): void {
    if (this.#soon === undefined) {
      this.#soon = []
      setTimeout(this.#onSoon, SOON_MS)
    }
    this.#soon.push(events)
  }

  readonly #onSoon = (): void => {
    const soon = this.#soon ?? []
    this.#soon = undefined
    for (const events of soon) events.onSoon()
  }

  onEnded(log: string): void {
    this.#written.delete(log)
    this.#use.end(log)
  }

  takes(log: string, bytes: number): boolean {
    return this.#use.take(log, bytes)
  }

  onDropped(log: string): void {
    this.#use.forget(log)
  }

  /** The session has ended for all nodes: what this node has written for it goes and, where its key is given, its own stream. */
  endSession(session: string, streamKey?: string): void {
    this.#use.endSession(session)
    if (streamKey !== undefined) void this.#drop(logOf(streamKey, '0'))
  }

  /** It expires by itself where that fails. */
  async #drop(log: string): Promise<void> {
    try {
      await this.logs.drop(log)
    } catch (error) {
      const message = 'The backend failed to drop the events of a stream. They expire by themselves.'
      this.report({ kind: 'transport', message, error })
    }
  }

  #onFollow(body: JSONValue, from: string): WriterAnswer {
    const log = logIn(body)
    const written = log === undefined ? undefined : this.#written.get(log)
    if (log === undefined || written === undefined) return 'unknown'
    const { events, stream } = written
    if (!events.canResume) return 'broken'
    if (events.follower !== undefined && events.follower !== from) this.tellReplaced(events.follower, log)
    // Spec, Transports: each message goes to one stream only.
    this.#carried.get(log)?.replace()
    stream.leave()
    events.follower = from
    return 'following'
  }

  #onHeld(body: JSONValue): boolean | string {
    const standalone = this.#standalone.get(logIn(body) ?? '')
    if (standalone === undefined || !isPlainObject(body)) return false
    if (standalone.isHeld) return true
    const sent = standalone.sentIn(body['turn'] as number)
    return sent === undefined ? false : positionText(sent)
  }

  #onEntry(body: JSONValue, from: string): undefined {
    const carried = this.#carried.get(logIn(body) ?? '')
    if (carried === undefined || carried.writer !== from || !isPlainObject(body)) return
    const { seq, data, isLast } = body
    if (!Number.isSafeInteger(seq)) return
    if (typeof data === 'string') carried.look({ seq: seq as number, data }, isLast === true)
    else carried.look()
  }

  #onReplaced(body: JSONValue, from: string): undefined {
    const carried = this.#carried.get(logIn(body) ?? '')
    if (carried !== undefined && carried.writer === from) carried.replace()
  }

  #lookEverywhere(): void {
    for (const carried of this.#carried.values()) carried.look()
  }

  /** Whoever gets no message reads the log. */
  #send(node: string, kind: string, body: JSONValue): void {
    this.#cluster.send(node, kind, body).catch((error: unknown) => {
      this.report({ kind: 'transport', message: 'A message to another node was not published.', error })
    })
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(this.#tick, TICK_MS)
    unref(this.#timer)
  }

  readonly #tick = (): void => {
    this.#timer = undefined
    const now = monotonicNow()
    for (const written of this.#written.values()) {
      if (now - written.keptAliveAt < KEEP_ALIVE_MS) continue
      written.keptAliveAt = now
      written.events.keepAlive()
    }
    for (const [log, carried] of this.#carried) {
      carried.tick()
      this.#standalone.get(log)?.keepAlive()
    }
    if (this.#written.size + this.#carried.size > 0) this.#schedule()
  }
}

function logIn(body: JSONValue): string | undefined {
  const log = isPlainObject(body) ? body['log'] : undefined
  return typeof log === 'string' && LOG.test(log) ? log : undefined
}

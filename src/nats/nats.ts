// nats(): the state that nodes share, on NATS with JetStream.

import type { Backend, BackendHealth, BackendUse } from '../backend/backend.ts'
import { BackendError } from '../backend/backend-error.ts'
import type { Limits } from '../backend/limits.ts'
import type { Logs } from '../backend/logs.ts'
import { registerBackend } from '../backend/parts.ts'
import type { Records } from '../backend/records.ts'
import { checkGiven, MAX_VALUE_BYTES, TIMEOUT_MS } from '../backend/rules.ts'
import { sealedBy } from '../backend/sealed/sealed.ts'
import type { TaskStore } from '../backend/task-store.ts'
import type { Topics } from '../backend/topics.ts'
import { rangeError, typeError } from '../primitives/help.ts'
import { Once } from '../primitives/once.ts'
import { checkKeys, checkLimit, describeKind, type KnownKeys } from '../primitives/options.ts'
import type { Secret } from '../primitives/sealing/secrets.ts'
import { isNatsConnection, type NatsConnectionLike } from './connection/nats-client.ts'
import { connectTo, type LoadLibrary, loadInstalled, loadLibrary } from './connection/open-connection.ts'
import { type NatsPlace, readServers } from './connection/url.ts'
import type { Clock } from './engine/clock.ts'
import { Engine } from './engine/engine.ts'
import { checkNamespace, digestOf } from './engine/names.ts'
import { NatsLimits } from './parts/nats-limits.ts'
import { NatsLogs } from './parts/nats-logs.ts'
import { NatsRecords } from './parts/nats-records.ts'
import { NatsTopics } from './parts/nats-topics.ts'
import { NatsTaskStore } from './tasks/nats-task-store.ts'

/** Options of `nats()`. */
export interface NatsOptions {
  /** The first part of the names of streams and subjects (default: the name of the server that opens the backend). */
  namespace?: string | undefined
  /** Secrets that encrypt every value, as `sealed()` does: the first seals, all of them open (default: nothing is encrypted). */
  seal?: readonly Secret[] | undefined
  /** How long an operation may take (default: 2,000 ms). */
  timeoutMs?: number | undefined
  /** What one value may take in UTF-8. NATS takes no message above its `max_payload`, 1 MiB where nobody has set it (default: 1 MiB). */
  maxValueBytes?: number | undefined
  /** On how many servers of a cluster of NATS everything is stored: 1, 3 or 5. It counts when the streams are made (default: 1). */
  replicas?: number | undefined
}

export const NATS_KEYS: KnownKeys<NatsOptions> = {
  namespace: 'string',
  seal: 'array',
  timeoutMs: 'number',
  maxValueBytes: 'number',
  replicas: 'number',
}

/** For tests. */
export interface NatsInternals {
  readonly load?: LoadLibrary
  readonly clock?: Clock
}

const REPLICAS = [1, 3, 5]
/** The fingerprint of a namespace is forgotten when nobody has opened it for so long. */
const FINGERPRINT_TTL_MS = 30 * 86_400_000
const PROBE_TTL_MS = 60_000

/**
 * State on NATS with JetStream, version 2.9 or newer: sessions, streams, changes, limits and tasks of all nodes. Takes URLs, which are opened
 * with `@nats-io/transport-node`, an optional peer, or a connection of that package, which stays yours.
 */
export function nats(
  serversOrConnection: string | URL | readonly string[] | NatsConnectionLike,
  options: NatsOptions = {},
): Backend {
  checkKeys('nats()', options, NATS_KEYS)
  const backend = registerBackend(new NatsBackend(serversOrConnection, options))
  return sealedBy('nats()', backend, options)
}

export class NatsBackend implements Backend {
  readonly records: Records
  readonly logs: Logs
  readonly topics: Topics
  readonly limits: Limits
  readonly tasks: TaskStore
  readonly #engine: Engine
  readonly #place: NatsPlace | undefined
  readonly #isSealed: boolean
  readonly #once = new Once()

  constructor(
    serversOrConnection: string | URL | readonly string[] | NatsConnectionLike,
    options: NatsOptions,
    { load = loadInstalled, clock }: NatsInternals = {},
  ) {
    const { namespace, timeoutMs = TIMEOUT_MS, maxValueBytes = MAX_VALUE_BYTES, replicas = 1 } = options
    if (namespace !== undefined) checkNamespace(namespace)
    checkLimit('timeoutMs', timeoutMs)
    checkLimit('maxValueBytes', maxValueBytes)
    if (!REPLICAS.includes(replicas)) throw rangeError('wrong-option', `replicas is ${replicas}. Use 1, 3 or 5.`)
    checkGiven('nats() takes URLs, or a connection of @nats-io/transport-node', serversOrConnection)
    const given = isNatsConnection(serversOrConnection) ? serversOrConnection : undefined
    const place = given === undefined ? placeOf(serversOrConnection) : undefined
    this.#place = place
    this.#isSealed = options.seal !== undefined
    this.#engine = new Engine({
      namespace,
      replicas,
      timeoutMs,
      maxValueBytes,
      where: place === undefined ? '' : ` at ${place.shown}`,
      isGiven: given !== undefined,
      load: () => loadLibrary(load),
      connect: async (library, backoff) => given ?? connectTo(library, place as NatsPlace, timeoutMs, backoff),
      ...(clock !== undefined && { clock }),
    })
    this.records = new NatsRecords(this.#engine)
    this.logs = new NatsLogs(this.#engine)
    this.topics = new NatsTopics(this.#engine)
    this.limits = new NatsLimits(this.#engine)
    this.tasks = new NatsTaskStore(this.#engine)
  }

  async open(use: BackendUse = {}): Promise<void> {
    await this.#engine.open(use.namespace)
    if (this.#place?.isLocal === false && !this.#isSealed) {
      const text = `What is stored at ${this.#place.shown} is not encrypted: whoever can write there can speak for any session. Set seal.`
      this.#report(use, text)
    }
    if (use.namespace !== undefined) await this.#compareFingerprint(use.namespace, use)
  }

  close(): Promise<void> {
    return this.#engine.link.close()
  }

  async health(): Promise<BackendHealth> {
    const startedAt = performance.now()
    const { state, names } = this.#engine
    try {
      // A write, since an engine that is full still answers reads.
      const write = { id: this.#engine.newId(), ttlMs: PROBE_TTL_MS, data: '' }
      await this.#engine.perform('health', (trip) => state.write(trip, names.own('probe'), write))
      return { isReady: true, latencyMs: performance.now() - startedAt }
    } catch (error) {
      return { isReady: false, detail: error instanceof BackendError ? error.message : 'NATS cannot be used.' }
    }
  }

  /** Two servers in one namespace would serve each other's sessions and tasks. */
  async #compareFingerprint(server: string, use: BackendUse): Promise<void> {
    const { state, names } = this.#engine
    const own = digestOf(`server ${server}`)
    const known = await this.#engine.perform('open', async (trip) => {
      const subject = names.own('server')
      const found = await state.last(trip, subject)
      if (found !== undefined && found.data !== own && (await state.isLive(trip, found))) return found.data
      await state.write(trip, subject, { id: this.#engine.newId(), ttlMs: FINGERPRINT_TTL_MS, data: own })
      return own
    })
    if (known === own) return
    const text = `Another server uses the namespace "${names.namespace}" on this NATS. Give each server a namespace of its own.`
    this.#report(use, text)
  }

  #report(use: BackendUse, warning: string): void {
    if (use.report !== undefined && this.#once.isNew(warning)) use.report(warning)
  }
}

function placeOf(servers: unknown): NatsPlace {
  const isList = Array.isArray(servers) && servers.every((server) => typeof server === 'string')
  if (typeof servers === 'string' || servers instanceof URL || isList) return readServers(servers as string)
  const found = describeKind(servers)
  throw typeError('bad-backend', `nats() takes URLs, or a connection of @nats-io/transport-node, not ${found}.`)
}

// redis(): the state that nodes share, on Redis or Valkey.

import type { Backend, BackendHealth, BackendUse } from '../backend/backend.ts'
import { withinTime } from '../backend/engine/deadline.ts'
import { registerBackend } from '../backend/parts.ts'
import { checkGiven, MAX_VALUE_BYTES, TIMEOUT_MS } from '../backend/rules.ts'
import { sealedBy } from '../backend/sealed/sealed.ts'
import { rangeError } from '../primitives/help.ts'
import { Once } from '../primitives/once.ts'
import { assertCount, checkKeys, checkLimit, type KnownKeys } from '../primitives/options.ts'
import type { Secret } from '../primitives/sealing/secrets.ts'
import { Channels } from './connection/channels.ts'
import { checkDatabase, checkServer } from './connection/check-server.ts'
import type { RedisClient } from './connection/client.ts'
import { closed, Engine, renamed } from './connection/engine.ts'
import { toBackendError } from './connection/errors.ts'
import { explainOpening } from './connection/explain-opening.ts'
import { openCluster, openUrl, type RedisClientLike, wrapClient } from './connection/open-client.ts'
import { type RedisPlace, readUrl } from './connection/url.ts'
import { RedisLimits } from './limits.ts'
import { RedisLogs } from './logs.ts'
import { checkNamespace, fingerprintOf, namespaceOf } from './namespace.ts'
import { Keys, type RedisParts } from './parts.ts'
import { RedisRecords } from './records.ts'
import { RedisTasks } from './tasks.ts'
import { RedisTopics } from './topics.ts'

/** Options of `redis()`. */
export interface RedisBackendOptions {
  /** The first part of all keys (default: the name of the server that opens the backend). */
  namespace?: string | undefined
  /** Secrets that encrypt every value, as `sealed()` does: the first seals, all of them open (default: nothing is encrypted). */
  seal?: readonly Secret[] | undefined
  /** How long an operation may take (default: 2,000 ms). */
  timeoutMs?: number | undefined
  /** What one value may take in UTF-8 (default: 1 MiB). */
  maxValueBytes?: number | undefined
  /**
   * `replicated`: a write counts as done when a replica has it too (`WAIT 1`), which takes about three times as long. Not for
   * clusters (default: `primary`).
   */
  durability?: 'primary' | 'replicated' | undefined
  /** Into how many queues tasks are split. In a cluster each can be on another node. All nodes need the same number (default: 1). */
  queues?: number | undefined
}

export const REDIS_KEYS: KnownKeys<RedisBackendOptions> = {
  namespace: 'string',
  seal: 'array',
  timeoutMs: 'number',
  maxValueBytes: 'number',
  durability: 'string',
  queues: 'number',
}

/** The fingerprint of a namespace is forgotten when nobody has opened it for so long. */
const FINGERPRINT_TTL_MS = 30 * 86_400_000
const PROBE_TTL_MS = 60_000
const MAX_QUEUES = 1_024

/**
 * State on Redis 6.2 or newer, or Valkey: sessions, streams, changes, limits and tasks of all nodes. A URL is opened with `ioredis`,
 * an optional peer. A client that is passed in stays yours.
 */
export function redis(urlOrClient: string | URL | RedisClientLike, options: RedisBackendOptions = {}): Backend {
  checkGiven('redis() takes a URL, or a client of ioredis, iovalkey or @redis/client', urlOrClient)
  checkKeys('redis()', options, REDIS_KEYS)
  const backend = registerBackend(new RedisBackend(urlOrClient, options))
  return sealedBy('redis()', backend, options)
}

class RedisBackend implements Backend {
  readonly records: RedisRecords
  readonly logs: RedisLogs
  readonly topics: RedisTopics
  readonly limits: RedisLimits
  readonly tasks: RedisTasks
  readonly #place: RedisPlace | undefined
  readonly #given: RedisClient | undefined
  readonly #engine: Engine
  readonly #channels: Channels
  readonly #timeoutMs: number
  readonly #isReplicated: boolean
  readonly #isSealed: boolean
  #namespace: string | undefined
  #serverName: string | undefined
  #keys: Keys | undefined
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #isClosed = false
  readonly #warnings = new Set<string>()
  readonly #once = new Once()
  #report: ((warning: string) => void) | undefined

  constructor(urlOrClient: string | URL | RedisClientLike, options: RedisBackendOptions) {
    const { namespace, timeoutMs = TIMEOUT_MS, maxValueBytes = MAX_VALUE_BYTES, durability, queues = 1 } = options
    if (namespace !== undefined) checkNamespace(namespace)
    checkLimit('timeoutMs', timeoutMs)
    checkLimit('maxValueBytes', maxValueBytes)
    assertCount('queues', queues, 1)
    if (queues > MAX_QUEUES) throw rangeError('wrong-option', `queues is ${queues}. Use at most ${MAX_QUEUES}.`)
    if (durability !== undefined && durability !== 'primary' && durability !== 'replicated') {
      throw rangeError('wrong-option', `durability is '${String(durability)}'. Use 'primary' or 'replicated'.`)
    }
    const isUrl = typeof urlOrClient === 'string' || urlOrClient instanceof URL
    this.#place = isUrl ? readUrl(String(urlOrClient)) : undefined
    this.#given = isUrl ? undefined : wrapClient(urlOrClient)
    this.#namespace = namespace
    this.#timeoutMs = timeoutMs
    this.#isReplicated = durability === 'replicated'
    this.#isSealed = options.seal !== undefined
    const open = () => this.#openNow('open')
    this.#engine = new Engine({ timeoutMs, isReplicated: this.#isReplicated, open })
    this.#channels = new Channels(async () => {
      if (this.#engine.client === undefined) await open()
      if (this.#engine.client === undefined) throw closed('topics.subscribe')
      return this.#engine.client
    }, timeoutMs)
    const parts: RedisParts = {
      engine: this.#engine,
      channels: this.#channels,
      maxValueBytes,
      keys: (operation) => this.#keysFor(operation),
    }
    this.records = new RedisRecords(parts)
    this.logs = new RedisLogs(parts)
    this.topics = new RedisTopics(parts)
    this.limits = new RedisLimits(parts)
    this.tasks = new RedisTasks(parts, queues)
  }

  async open({ namespace, report }: BackendUse = {}): Promise<void> {
    this.#namespace ??= namespace === undefined ? undefined : namespaceOf(namespace)
    this.#serverName ??= namespace
    this.#report ??= report
    this.#isClosed = false
    await this.#openNow('open')
    this.#warn()
  }

  close(): Promise<void> {
    this.#isClosed = true
    const before = this.#closing
    this.#closing = this.#close().then(() => before)
    return this.#closing
  }

  async #close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    this.#channels.close()
    await opening?.catch(() => {})
    this.#release()
  }

  async health(): Promise<BackendHealth> {
    const started = performance.now()
    try {
      const { probe } = await this.#keysFor('health')
      // A write, since an engine that is full or read-only still answers reads.
      await this.#engine.command('health', 'set', probe, ['1', 'PX', String(PROBE_TTL_MS)])
      return { isReady: true, latencyMs: performance.now() - started }
    } catch (error) {
      return { isReady: false, detail: toBackendError('health', error).message }
    }
  }

  #keysFor(operation: string): Keys | Promise<Keys> {
    if (this.#isClosed) return Promise.reject(closed(operation))
    return this.#keys ?? this.#keysWhenOpen(operation)
  }

  async #keysWhenOpen(operation: string): Promise<Keys> {
    try {
      await this.#openNow(operation)
    } catch (error) {
      throw renamed(operation, error)
    }
    if (this.#keys === undefined) throw closed(operation)
    return this.#keys
  }

  #openNow(operation: string): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed(operation))
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined
      this.#release()
      throw explainOpening(error, this.#place)
    })
    return this.#opening
  }

  async #connect(): Promise<void> {
    // It would release the connection that is made now.
    await this.#closing
    let client = await this.#connected(this.#given ?? (await openUrl(this.#place as RedisPlace)))
    try {
      let facts = await this.#inTime(checkServer(client, this.#isReplicated))
      if (facts.isClusterNode && !client.isCluster && this.#place !== undefined) {
        client.close()
        client = await this.#connected(await openCluster(this.#place, this.#timeoutMs))
        facts = await this.#inTime(checkServer(client, this.#isReplicated))
      }
      if (this.#place !== undefined) await this.#inTime(checkDatabase(client, this.#place))
      for (const warning of facts.warnings) this.#warnings.add(warning)
    } catch (error) {
      client.close()
      throw error
    }
    if (this.#isClosed) return client.close()
    this.#engine.attach(client)
    this.#keys ??= new Keys(this.#namespace ?? 'mcpwire')
    await this.#compareFingerprint(this.#keys)
  }

  async #connected(client: RedisClient): Promise<RedisClient> {
    try {
      await this.#inTime(client.connect())
      if (!client.isReady) {
        let stop = () => {}
        const ready = new Promise<void>((resolve) => {
          stop = client.onReady(resolve)
        })
        await this.#inTime(ready).finally(stop)
      }
      return client
    } catch (error) {
      client.close()
      // What the server said counts more than that the client gave up.
      throw client.lastError ?? error
    }
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    return withinTime('open', this.#timeoutMs, work)
  }

  /** Two servers in one namespace would serve each other's sessions and tasks. */
  async #compareFingerprint({ fingerprint, namespace }: Keys): Promise<void> {
    if (this.#serverName === undefined) return
    const own = fingerprintOf(this.#serverName)
    const known = await this.#engine.command('open', 'get', fingerprint)
    if (known === null || known === own) {
      await this.#engine.command('open', 'set', fingerprint, [own, 'PX', String(FINGERPRINT_TTL_MS)])
      return
    }
    this.#warnings.add(
      `Another server uses the namespace "${namespace}" on this Redis. Give each server a namespace of its own.`,
    )
  }

  #warn(): void {
    if (this.#place?.isLocal === false && !this.#isSealed) {
      this.#warnings.add(
        `What is stored at ${this.#place.shown} is not encrypted: whoever can write there can speak for any session. Set seal.`,
      )
    }
    if (this.#report === undefined) return
    for (const warning of this.#warnings) if (this.#once.isNew(warning)) this.#report(warning)
  }

  #release(): void {
    const { client } = this.#engine
    this.#engine.detach()
    client?.close()
  }
}

// Clients of @redis/client (and of `redis`, which contains it); standalone and cluster.
import type { LinkEvents, RedisClient, SubscriberLink } from './client.ts'

type Listener = (...args: never[]) => void
/** What `createClient` or `createCluster` of @redis/client returns. */
export interface NodeRedisLike {
  /** True once `connect()` was called. */
  readonly isOpen: boolean
  /** True while commands can be sent. */
  readonly isReady: boolean
  /** Ends the connection at once. */
  destroy(): unknown
}

type OnMessage = (text: string, channel: string) => void

/** What we use of what `createClient` and `createCluster` return. */
interface NodeRedisApi extends NodeRedisLike {
  connect(): Promise<unknown>
  duplicate(): NodeRedisApi
  on(event: string, listener: Listener): unknown
  off(event: string, listener: Listener): unknown
  sendCommand(...args: unknown[]): Promise<unknown>
  subscribe(channel: string, listener: OnMessage): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  sSubscribe(channel: string, listener: OnMessage): Promise<unknown>
  sUnsubscribe(channel: string): Promise<unknown>
  /** Of a cluster. */
  readonly slots?: unknown
  readonly _options?: { readonly useReplicas?: boolean }
}

export function isNodeRedis(value: object): value is NodeRedisLike {
  return 'isReady' in value && 'sendCommand' in value && typeof value.sendCommand === 'function'
}

/** It is always the user's: a URL is opened by ioredis. */
export class NodeRedisClient implements RedisClient {
  readonly isCluster: boolean
  readonly lastError = undefined
  readonly #client: NodeRedisApi

  constructor(like: NodeRedisLike) {
    const client = like as NodeRedisApi
    this.#client = client
    this.isCluster = client.slots !== undefined
  }

  get isReady(): boolean {
    return this.#client.isReady
  }

  get replicaSetting(): string | undefined {
    return this.isCluster && this.#client._options?.useReplicas === true ? 'useReplicas' : undefined
  }

  async connect(): Promise<void> {
    if (!this.#client.isOpen) await this.#client.connect()
  }

  send(name: string, key: string, args: readonly string[]): Promise<unknown> {
    const command = [name, ...args]
    return this.isCluster ? this.#client.sendCommand(key, false, command) : this.#client.sendCommand(command)
  }

  onReady(listener: () => void): () => void {
    const event = this.isCluster ? 'node-ready' : 'ready'
    this.#client.on(event, listener)
    return () => this.#client.off(event, listener)
  }

  addressOf(): string {
    return ''
  }

  link(_address: string, events: LinkEvents): SubscriberLink {
    return new NodeRedisLink(this.#client.duplicate(), this.isCluster, events)
  }

  close(): void {}
}

class NodeRedisLink implements SubscriberLink {
  readonly resubscribes = true
  readonly #client: NodeRedisApi
  readonly #isSharded: boolean
  readonly #message: OnMessage
  readonly #connected: Promise<unknown>
  #isClosed = false

  constructor(client: NodeRedisApi, isSharded: boolean, { message, ready }: LinkEvents) {
    this.#client = client
    this.#isSharded = isSharded
    this.#message = (text, channel) => message(channel, text)
    const nothing = () => {}
    client.on('error', nothing)
    client.on('node-error', nothing)
    this.#connected = client.connect()
    // Nodes of a cluster are connected one by one: only those that were lost are repaired.
    let isBroken = false
    for (const event of ['reconnecting', 'node-reconnecting', 'node-disconnect']) {
      client.on(event, () => {
        isBroken = true
      })
    }
    this.#connected.then(() => {
      client.on(isSharded ? 'node-ready' : 'ready', () => {
        if (isBroken) ready()
        isBroken = false
      })
      ready()
    }, nothing)
  }

  get isReady(): boolean {
    return this.#client.isReady
  }

  async subscribe(channel: string): Promise<unknown> {
    await this.#connected
    if (this.#isClosed) return undefined
    return this.#isSharded
      ? this.#client.sSubscribe(channel, this.#message)
      : this.#client.subscribe(channel, this.#message)
  }

  unsubscribe(channel: string): void {
    const done = this.#isSharded ? this.#client.sUnsubscribe(channel) : this.#client.unsubscribe(channel)
    done.catch(() => {})
  }

  close(): void {
    this.#isClosed = true
    this.#connected.then(
      () => this.#client.destroy(),
      () => {},
    )
  }
}

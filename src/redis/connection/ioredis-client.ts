// Clients of ioredis and of iovalkey, which has the same shape; standalone and cluster.
import { type LinkEvents, type RedisClient, reconnectDelay, type SubscriberLink } from './client.ts'
import { slotOf } from './slot.ts'

type Listener = (...args: never[]) => void

/** `Redis` or `Cluster` of ioredis or iovalkey. */
export interface IoredisLike {
  /** The state of the connection, as ioredis names it. */
  readonly status: string
  /** True for a client of a cluster. */
  readonly isCluster: boolean
  /** Ends the connection at once. */
  disconnect(): void
}

/** What we use of `Redis` and `Cluster`. */
interface IoredisApi extends IoredisLike {
  readonly options: object
  call(command: string, ...args: string[]): Promise<unknown>
  connect(): Promise<unknown>
  on(event: string, listener: Listener): unknown
  off(event: string, listener: Listener): unknown
  duplicate(...overrides: object[]): IoredisApi
  subscribe?(channel: string): Promise<unknown>
  unsubscribe?(channel: string): Promise<unknown>
  ssubscribe?(channel: string): Promise<unknown>
  sunsubscribe?(channel: string): Promise<unknown>
  /** The socket, while there is a connection. Of a cluster each node has its own. */
  readonly stream?: { cork(): void; uncork(): void }
  /** Of a cluster: its connections, and for each slot the addresses of its nodes, the primary first. */
  nodes?(role: 'master'): IoredisApi[]
  readonly slots?: readonly (readonly string[] | undefined)[]
}

/** For connections that are ours: nothing waits in a queue of the library, since we wait ourselves, with a deadline. */
export const OWN_CONNECTION = {
  lazyConnect: true,
  enableOfflineQueue: false,
  // What was in flight is sent once more after a break, and given up with the next one: every write can be repeated, but not late.
  maxRetriesPerRequest: 1,
  retryStrategy: reconnectDelay,
  // A primary that has become a replica: connect again, to where the name points now.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
}

const SUBSCRIBER = { ...OWN_CONNECTION, autoResubscribe: false, maxRetriesPerRequest: null }

export function isIoredis(value: object): value is IoredisLike {
  return 'status' in value && 'call' in value && typeof value.call === 'function' && 'duplicate' in value
}

export class IoredisClient implements RedisClient {
  readonly isCluster: boolean
  readonly #client: IoredisApi
  readonly #isOwn: boolean
  #corked: IoredisApi['stream']
  #lastError: unknown
  readonly #onError = (error: unknown) => {
    this.#lastError = error
  }

  constructor(like: IoredisLike, isOwn: boolean) {
    const client = like as IoredisApi
    this.#client = client
    this.#isOwn = isOwn
    this.isCluster = client.isCluster
    if (isOwn) client.on('error', this.#onError as Listener)
  }

  get isReady(): boolean {
    return this.#client.status === 'ready'
  }

  get lastError(): unknown {
    return this.#lastError
  }

  get replicaSetting(): string | undefined {
    const { scaleReads } = this.#client.options as { scaleReads?: unknown }
    return this.isCluster && scaleReads !== undefined && scaleReads !== 'master' ? 'scaleReads' : undefined
  }

  async connect(): Promise<void> {
    const { status } = this.#client
    if (status === 'wait' || (this.#isOwn && status === 'end')) await this.#client.connect()
  }

  send(name: string, _key: string, args: readonly string[]): Promise<unknown> {
    if (this.#corked === undefined) this.#cork()
    return this.#client.call(name, ...args)
  }

  /** The commands of one turn go out in one write: a write costs more than all the rest of a command. */
  #cork(): void {
    const { stream } = this.#client
    if (stream === undefined) return
    this.#corked = stream
    stream.cork()
    setImmediate(this.#uncork)
  }

  readonly #uncork = (): void => {
    this.#corked?.uncork()
    this.#corked = undefined
  }

  onReady(listener: () => void): () => void {
    this.#client.on('ready', listener)
    return () => this.#client.off('ready', listener)
  }

  addressOf(channel: string): string {
    return this.isCluster ? (this.#client.slots?.[slotOf(channel)]?.[0] ?? '') : ''
  }

  link(address: string, events: LinkEvents): SubscriberLink {
    return new IoredisLink(this.#duplicate(address), this.isCluster, events)
  }

  close(): void {
    if (this.#isOwn) this.#client.disconnect()
  }

  #duplicate(address: string): IoredisApi {
    if (!this.isCluster) return this.#client.duplicate(SUBSCRIBER)
    const nodes = this.#client.nodes?.('master') ?? []
    const known = nodes.find(({ options }) => addressOfNode(options) === address) ?? nodes[0]
    if (known === undefined) throw new Error('The cluster has no primary that can be reached.')
    const at = address.lastIndexOf(':')
    const place = at === -1 ? {} : { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
    return known.duplicate({ ...SUBSCRIBER, ...place })
  }
}

class IoredisLink implements SubscriberLink {
  readonly resubscribes = false
  readonly #client: IoredisApi
  readonly #isSharded: boolean

  constructor(client: IoredisApi, isSharded: boolean, { message, ready, moved }: LinkEvents) {
    this.#client = client
    this.#isSharded = isSharded
    const nothing = () => {}
    client.on('error', nothing)
    client.on(isSharded ? 'smessage' : 'message', message as Listener)
    client.on('ready', ready)
    client.on('moved', moved)
    client.connect().catch(nothing)
  }

  get isReady(): boolean {
    return this.#client.status === 'ready'
  }

  async subscribe(channel: string): Promise<unknown> {
    return this.#isSharded ? this.#client.ssubscribe?.(channel) : this.#client.subscribe?.(channel)
  }

  unsubscribe(channel: string): void {
    const done = this.#isSharded ? this.#client.sunsubscribe?.(channel) : this.#client.unsubscribe?.(channel)
    done?.catch(() => {})
  }

  close(): void {
    this.#client.disconnect()
  }
}

function addressOfNode(options: object): string {
  const { host, port } = options as { host?: string; port?: number }
  return `${host}:${port}`
}

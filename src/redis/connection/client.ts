// What the backend needs of a Redis client, whichever library it is from.

/** Of a connection that only listens. */
export interface LinkEvents {
  message(channel: string, text: string): void
  /** Connected, also again. Without `resubscribes` every channel has to be subscribed now. */
  ready(): void
  /** Channels may have moved to another node of the cluster. */
  moved(): void
}

/** A connection of ours for subscriptions. */
export interface SubscriberLink {
  readonly isReady: boolean
  /** The library subscribes again by itself after a break. */
  readonly resubscribes: boolean
  /** Rejects with the error of the library, such as `MOVED …` in a cluster. */
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): void
  close(): void
}

export interface RedisClient {
  readonly isCluster: boolean
  /** Whether a command that is sent now goes out now. */
  readonly isReady: boolean
  /** The setting of the library that lets it read from replicas, where it is on. */
  readonly replicaSetting: string | undefined
  /** Connects, where that is ours to do. */
  connect(): Promise<void>
  /** `name` in small letters: ioredis knows the keys of these alone. `key` says to which node of a cluster the command goes. */
  send(name: string, key: string, args: readonly string[]): Promise<unknown>
  /** Calls the listener whenever the client is ready again; returns how to stop. */
  onReady(listener: () => void): () => void
  /** The last error of the connection. */
  readonly lastError: unknown
  /** Where messages on a channel arrive: the address of a node, or the same text for all. */
  addressOf(channel: string): string
  link(address: string, events: LinkEvents): SubscriberLink
  /** Ends what is ours. */
  close(): void
}

/** 0.1 s, then longer, up to 5 s, each by chance: nodes that lost an engine together do not come back together. */
export function reconnectDelay(attempt: number): number {
  const longest = Math.min(5_000, 200 * 2 ** Math.min(attempt, 10))
  return 100 + Math.random() * (longest - 100)
}

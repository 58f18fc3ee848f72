// Subscriptions: one connection that listens (in a cluster one for each node that is needed), shared by all channels.
import { startDeadline } from '../../backend/engine/deadline.ts'
import type { RedisClient, SubscriberLink } from './client.ts'
import { closed, unavailable } from './engine.ts'

export interface ChannelListener {
  message(text: string): void
  missed(): void
}

export interface ChannelSubscription {
  readonly ready: Promise<void>
  close(): void
}

const MOVED = /^MOVED \d+ (\S+)/
/** A channel that moves more often than this is tried again later. */
const MAX_MOVES = 5
const RETRY_MS = 200

class Channel {
  readonly name: string
  readonly listeners = new Set<ChannelListener>()
  address: string
  /** What is published now arrives. */
  isLive = false
  /** What was published may be lost: to be said once the channel is live. */
  hasMissed = false
  /** Only the last try counts: those before it were sent where the channel is no more. */
  tries = 0
  /** Whoever waits for the channel to be live. */
  readonly waiting = new Set<(error?: unknown) => void>()

  constructor(name: string, address: string) {
    this.name = name
    this.address = address
  }
}

export class Channels {
  readonly #client: () => Promise<RedisClient>
  readonly #timeoutMs: number
  readonly #channels = new Map<string, Channel>()
  readonly #links = new Map<string, SubscriberLink>()

  constructor(client: () => Promise<RedisClient>, timeoutMs: number) {
    this.#client = client
    this.#timeoutMs = timeoutMs
  }

  subscribe(operation: string, name: string, listener: ChannelListener): ChannelSubscription {
    // Wrapped, so that a listener that is given twice is called twice and removed one by one.
    const own: ChannelListener = { message: (text) => listener.message(text), missed: () => listener.missed() }
    let isClosed = false
    const close = () => {
      if (isClosed) return
      isClosed = true
      this.#leave(name, own)
    }
    const ready = this.#join(operation, name, own)
    // Whoever does not wait for it is no unhandled rejection.
    ready.catch(() => {})
    return { ready, close }
  }

  /** Ends everything: nobody hears anything any more. */
  close(): void {
    for (const channel of this.#channels.values()) {
      channel.listeners.clear()
      for (const done of channel.waiting) done(closed('topics.subscribe'))
    }
    this.#channels.clear()
    for (const link of this.#links.values()) link.close()
    this.#links.clear()
  }

  #join(operation: string, name: string, listener: ChannelListener): Promise<void> {
    const known = this.#channels.get(name)
    const channel = known ?? new Channel(name, '')
    this.#channels.set(name, channel)
    channel.listeners.add(listener)
    if (channel.isLive) return Promise.resolve()
    const live = this.#whenLive(operation, channel)
    if (known === undefined) {
      this.#client().then(
        (client) => this.#place(client, channel),
        (error: unknown) => this.#settle(channel, error),
      )
    }
    return live
  }

  #whenLive(operation: string, channel: Channel): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = startDeadline(this.#timeoutMs, () => done(unavailable(operation)))
      const done = (error?: unknown) => {
        stop()
        channel.waiting.delete(done)
        if (error === undefined) return resolve()
        // It stays wanted: when it works in the end, its listeners hear that they missed something.
        channel.hasMissed = true
        reject(error)
      }
      channel.waiting.add(done)
    })
  }

  #leave(name: string, listener: ChannelListener): void {
    const channel = this.#channels.get(name)
    if (channel?.listeners.delete(listener) !== true || channel.listeners.size > 0) return
    this.#channels.delete(name)
    for (const done of channel.waiting) done()
    const link = this.#links.get(channel.address)
    if (link?.isReady === true) link.unsubscribe(name)
  }

  #place(client: RedisClient, channel: Channel): void {
    if (this.#channels.get(channel.name) !== channel) return
    channel.address = client.addressOf(channel.name)
    this.#subscribeOn(client, channel)
  }

  #subscribeOn(client: RedisClient, channel: Channel, moves = 0): void {
    const link = this.#linkTo(client, channel.address)
    // Otherwise its `ready` does.
    if (!link.isReady) return
    channel.tries += 1
    const { tries } = channel
    link.subscribe(channel.name).then(
      () => {
        if (channel.tries === tries) this.#settle(channel)
      },
      (error: unknown) => {
        if (channel.tries !== tries || this.#channels.get(channel.name) !== channel) return
        const [, address] = MOVED.exec(error instanceof Error ? error.message : '') ?? []
        if (address === undefined || moves >= MAX_MOVES) return this.#retryLater(client, channel)
        channel.address = address
        this.#subscribeOn(client, channel, moves + 1)
      },
    )
  }

  /** A node that cannot tell yet, or a connection that ends: whoever listens must not be forgotten. */
  #retryLater(client: RedisClient, channel: Channel): void {
    const timer = setTimeout(() => {
      if (!channel.isLive) this.#place(client, channel)
    }, RETRY_MS)
    timer.unref()
  }

  #linkTo(client: RedisClient, address: string): SubscriberLink {
    const known = this.#links.get(address)
    if (known !== undefined) return known
    const again = (isBroken: boolean) => this.#again(client, address, isBroken)
    const link = client.link(address, {
      message: (name, text) => this.#onMessage(this.#channels.get(name), text),
      ready: () => again(true),
      // After a subscription that says where to has been heard: that one needs no other.
      moved: () => void setImmediate(again, true),
    })
    this.#links.set(address, link)
    return link
  }

  /** The link is there, for the first time or again: its channels become live, and those that were have missed something. */
  #again(client: RedisClient, address: string, isBroken: boolean): void {
    const link = this.#links.get(address)
    for (const channel of this.#channels.values()) {
      if (channel.address !== address) continue
      if (channel.isLive && isBroken) channel.hasMissed = true
      if (channel.isLive && link?.resubscribes === true) this.#settle(channel)
      else {
        channel.isLive = false
        this.#subscribeOn(client, channel)
      }
    }
  }

  #settle(channel: Channel, error?: unknown): void {
    for (const done of channel.waiting) done(error)
    if (error !== undefined) {
      // Never placed: the next one who subscribes tries again.
      if (this.#channels.get(channel.name) === channel) this.#channels.delete(channel.name)
      return
    }
    channel.isLive = true
    if (!channel.hasMissed) return
    channel.hasMissed = false
    this.#tell(channel, (listener) => listener.missed())
  }

  /** After a break `missed` comes first: what is heard before may count on what was lost. */
  #onMessage(channel: Channel | undefined, text: string): void {
    if (channel?.hasMissed !== true) this.#tell(channel, (listener) => listener.message(text))
  }

  #tell(channel: Channel | undefined, news: (listener: ChannelListener) => void): void {
    if (channel === undefined) return
    for (const listener of [...channel.listeners]) {
      if (!channel.listeners.has(listener)) continue
      try {
        news(listener)
      } catch {
        // A listener that throws costs only itself.
      }
    }
  }
}

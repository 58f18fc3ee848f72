// Messages to whoever listens now: at most once, in the order of their publisher.
import type { MaybePromise } from '../primitives/async/promises.ts'

/** Hears the messages of a topic. */
export interface TopicListener {
  /** Called with each message, in the order of one publisher. */
  message(text: string): void
  /** What was published for a while is lost. Called once per break of the connection, after it is mended. */
  missed(): void
}

/** A subscription of a topic. Close it when it is no longer needed. */
export interface TopicSubscription {
  /** Resolves once nothing that is published from now on is lost while the connection holds. */
  readonly ready: Promise<void>
  /** Idempotent. */
  close(): void
}

/** Messages to all processes that listen. None is kept. */
export interface Topics {
  /** Sends a message to all listeners of a topic, in all processes. */
  publish(topic: string, message: string): MaybePromise<void>
  /** A listener that throws costs only itself. The publisher hears its own messages. */
  subscribe(topic: string, listener: TopicListener): TopicSubscription
}

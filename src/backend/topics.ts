// Messages to whoever listens now: at most once, in the order of their publisher.
import type { MaybePromise } from '../primitives/async/promises.ts'

export interface TopicListener {
  message(text: string): void
  /** What was published for a while is lost. Called once per break of the connection, after it is mended. */
  missed(): void
}

export interface TopicSubscription {
  /** Resolves once nothing that is published from now on is lost while the connection holds. */
  readonly ready: Promise<void>
  /** Idempotent. */
  close(): void
}

export interface Topics {
  publish(topic: string, message: string): MaybePromise<void>
  /** A listener that throws costs only itself. The publisher hears its own messages. */
  subscribe(topic: string, listener: TopicListener): TopicSubscription
}

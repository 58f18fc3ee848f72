// Topics, by the feed.
import { subscribeTo, USER_TOPIC } from '../../backend/feed/feed.ts'
import { checkName, checkValue } from '../../backend/rules.ts'
import type { TopicListener, TopicSubscription, Topics } from '../../backend/topics.ts'
import type { Engine } from '../engine/engine.ts'
import type { Feed } from '../engine/feed.ts'
import type { Outbox } from '../engine/outbox.ts'

export class PostgresTopics implements Topics {
  readonly #engine: Engine
  readonly #feed: Feed
  readonly #outbox: Outbox
  readonly #maxValueBytes: number

  constructor(engine: Engine, feed: Feed, outbox: Outbox, maxValueBytes: number) {
    this.#engine = engine
    this.#feed = feed
    this.#outbox = outbox
    this.#maxValueBytes = maxValueBytes
  }

  async publish(topic: string, message: string): Promise<void> {
    checkName('topics.publish', topic)
    checkValue('topics.publish', message, this.#maxValueBytes)
    this.#engine.checkOpen('topics.publish')
    await this.#outbox.send(`${USER_TOPIC}${topic}`, message)
  }

  subscribe(topic: string, listener: TopicListener): TopicSubscription {
    checkName('topics.subscribe', topic)
    this.#engine.checkOpen('topics.subscribe')
    return subscribeTo(this.#feed, topic, listener)
  }
}

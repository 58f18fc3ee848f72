// Topics, by the feed.
import { subscribeTo, USER_TOPIC } from '../../backend/feed/feed.ts'
import { checkName, checkValue } from '../../backend/rules.ts'
import type { TopicListener, TopicSubscription, Topics } from '../../backend/topics.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { Engine } from '../engine/engine.ts'
import type { Feed } from '../engine/feed.ts'

export class SQLiteTopics implements Topics {
  readonly #engine: Engine
  readonly #feed: Feed
  readonly #maxValueBytes: number

  constructor(engine: Engine, feed: Feed, maxValueBytes: number) {
    this.#engine = engine
    this.#feed = feed
    this.#maxValueBytes = maxValueBytes
  }

  publish(topic: string, message: string): MaybePromise<void> {
    checkName('topics.publish', topic)
    checkValue('topics.publish', message, this.#maxValueBytes)
    return this.#engine.write('topics.publish', () => this.#feed.send(`${USER_TOPIC}${topic}`, message))
  }

  subscribe(topic: string, listener: TopicListener): TopicSubscription {
    checkName('topics.subscribe', topic)
    this.#engine.checkOpen('topics.subscribe')
    return subscribeTo(this.#feed, topic, listener)
  }
}

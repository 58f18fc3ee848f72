// Topics as channels.
import { checkName, checkValue } from '../backend/rules.ts'
import type { TopicListener, TopicSubscription, Topics } from '../backend/topics.ts'
import type { ChannelSubscription } from './connection/channels.ts'
import type { RedisParts } from './parts.ts'

export class RedisTopics implements Topics {
  readonly #parts: RedisParts

  constructor(parts: RedisParts) {
    this.#parts = parts
  }

  async publish(topic: string, message: string): Promise<void> {
    checkName('topics.publish', topic)
    checkValue('topics.publish', message, this.#parts.maxValueBytes)
    const { engine } = this.#parts
    const keys = await this.#parts.keys('topics.publish')
    await engine.command('topics.publish', engine.publish, keys.topic(topic), [message])
  }

  subscribe(topic: string, listener: TopicListener): TopicSubscription {
    checkName('topics.subscribe', topic)
    const { channels } = this.#parts
    const keys = this.#parts.keys('topics.subscribe')
    if (!('then' in keys)) return channels.subscribe('topics.subscribe', keys.topic(topic), listener)
    let isClosed = false
    let subscription: ChannelSubscription | undefined
    const ready = keys.then(async (known) => {
      if (isClosed) return
      subscription = channels.subscribe('topics.subscribe', known.topic(topic), listener)
      await subscription.ready
    })
    ready.catch(() => {})
    const close = () => {
      isClosed = true
      subscription?.close()
    }
    return { ready, close }
  }
}

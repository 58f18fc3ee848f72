// Topics as plain subjects, which NATS keeps nothing of.
import { checkName, checkValue, utf8Length } from '../../backend/rules.ts'
import type { TopicListener, TopicSubscription, Topics } from '../../backend/topics.ts'
import type { Engine } from '../engine/engine.ts'

export class NatsTopics implements Topics {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async publish(topic: string, message: string): Promise<void> {
    checkName('topics.publish', topic)
    const { maxValueBytes, subjects, names, link, state } = this.#engine
    checkValue('topics.publish', message, maxValueBytes)
    link.checkOpen('topics.publish')
    state.checkSize('topics.publish', utf8Length(message))
    await subjects.publish('topics.publish', () => names.topic(topic), message)
  }

  subscribe(topic: string, listener: TopicListener): TopicSubscription {
    checkName('topics.subscribe', topic)
    return this.#engine.subjects.listen('topics.subscribe', () => this.#engine.names.topic(topic), listener)
  }
}

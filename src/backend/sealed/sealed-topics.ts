// Topics whose messages are sealed under the name of the topic. What cannot be opened is not delivered.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import type { TopicListener, TopicSubscription, Topics } from '../topics.ts'
import type { Seal } from './seal.ts'

export class SealedTopics implements Topics {
  readonly #topics: Topics
  readonly #seal: Seal

  constructor(topics: Topics, seal: Seal) {
    this.#topics = topics
    this.#seal = seal
  }

  publish(topic: string, message: string): MaybePromise<void> {
    return whenDone(this.#seal.seal(topic, message), (sealed) => this.#topics.publish(topic, sealed))
  }

  subscribe(topic: string, listener: TopicListener): TopicSubscription {
    let isOpen = true
    const deliver = (text: string | undefined) => {
      if (text !== undefined && isOpen) listener.message(text)
    }
    const { ready, close } = this.#topics.subscribe(topic, {
      message: (sealed) => {
        const text = this.#seal.open('topics.subscribe', topic, sealed)
        if (!isThenable(text)) return deliver(text)
        // A listener that throws, or a message of a newer release, costs only this message.
        void Promise.resolve(text)
          .then(deliver)
          .catch(() => {})
      },
      missed: () => listener.missed(),
    })
    return {
      ready,
      close: () => {
        isOpen = false
        close()
      },
    }
  }
}

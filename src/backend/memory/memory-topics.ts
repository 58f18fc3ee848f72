// Topics within one process.
import { checkName, checkValue } from '../rules.ts'
import type { TopicListener, TopicSubscription, Topics } from '../topics.ts'
import type { Space } from './expiring.ts'
import { Hints } from './hints.ts'

const READY = Promise.resolve()

export class MemoryTopics implements Topics {
  readonly #space: Space
  readonly #maxValueBytes: number
  readonly #hints: Hints<string>

  constructor(space: Space, maxValueBytes: number, onListenerError: (error: unknown) => void) {
    this.#space = space
    this.#maxValueBytes = maxValueBytes
    this.#hints = new Hints(onListenerError)
  }

  publish(topic: string, message: string): void {
    checkName('topics.publish', topic)
    checkValue('topics.publish', message, this.#maxValueBytes)
    this.#space.checkOpen('topics.publish')
    this.#hints.send(topic, message)
  }

  subscribe(topic: string, listener: TopicListener): TopicSubscription {
    checkName('topics.subscribe', topic)
    this.#space.checkOpen('topics.subscribe')
    return { ready: READY, close: this.#hints.add(topic, (message) => listener.message(message)) }
  }

  close(): void {
    this.#hints.clear()
  }
}

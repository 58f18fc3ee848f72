// Subscriptions and hints about tasks, for engines that keep messages as numbered rows.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { TaskListener } from '../task-store.ts'
import type { TopicListener, TopicSubscription } from '../topics.ts'
import { callSafely, type FeedListener } from './feed-listeners.ts'

export interface Feed {
  /** Returns, once nothing is lost from then on, how to stop. */
  listen(operation: string, topic: string, listener: FeedListener): MaybePromise<() => void>
}

/** The topics of users begin so: hints about tasks have names that no user can take. */
export const USER_TOPIC = 't:'
export const CHANGED = 'changed'
export const WORK = 'work'

export function subscribeTo(feed: Feed, topic: string, listener: TopicListener): TopicSubscription {
  let isOpen = true
  let stop: (() => void) | undefined
  const listening = async () => {
    const found = await feed.listen('topics.subscribe', `${USER_TOPIC}${topic}`, {
      message: (text) => void (isOpen && listener.message(text)),
      missed: () => void (isOpen && listener.missed()),
    })
    if (isOpen) stop = found
    else found()
  }
  const ready = listening()
  // Whoever does not wait for it learns of the failure by the next operation.
  ready.catch(() => {})
  return {
    ready,
    close: () => {
      isOpen = false
      stop?.()
      stop = undefined
    },
  }
}

/** Returns how to stop. */
export function watchTasks(feed: Feed, listener: TaskListener): () => void {
  let isOpen = true
  const stops: (() => void)[] = []
  const listen = async (topic: string, message: (text: string) => void, missed: () => void) => {
    const stop = await feed.listen('tasks.watch', topic, {
      message: (text) => void (isOpen && message(text)),
      missed: () => void (isOpen && missed()),
    })
    if (isOpen) stops.push(stop)
    else stop()
  }
  const onChanged = (id: string) => listener.changed(id)
  // One of the two is enough for `missed`.
  const begun = [
    listen(CHANGED, onChanged, () => listener.missed()),
    listen(
      WORK,
      () => listener.work(),
      () => {},
    ),
  ]
  // Hints may get lost: whoever listens also looks, and learns of the failure then.
  for (const each of begun) each.catch(() => {})
  return () => {
    isOpen = false
    for (const stop of stops.splice(0)) callSafely(stop)
  }
}

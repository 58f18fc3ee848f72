// Hints about tasks, by the feed.
import type { TaskListener } from '../../backend/task-store.ts'
import { callSafely, type Feed } from '../engine/feed.ts'

/** Names that no topic of a user has: those begin with `t:`. */
export const CHANGED = 'changed'
export const WORK = 'work'

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
  const begun = [
    listen(
      CHANGED,
      (id) => listener.changed(id),
      () => listener.missed(),
    ),
    // One of the two is enough for `missed`.
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

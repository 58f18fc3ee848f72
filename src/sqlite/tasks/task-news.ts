// Hints about tasks, by the feed.
import type { TaskListener } from '../../backend/task-store.ts'
import { callSafely, type Feed } from '../engine/feed.ts'
import type { TaskNews } from './task-rows.ts'

/** Names that no topic of a user has: those begin with `t:`. */
const CHANGED = 'changed'
const WORK = 'work'

/** For what happens inside a transaction; it is heard after the commit. Tasks of other namespaces are settled too. */
export function writeNews(feed: Feed): TaskNews {
  return { changed: (ns, id) => feed.send(CHANGED, id, ns), work: (ns) => feed.send(WORK, '', ns) }
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

// Nodes of two releases on one engine. The newer one stores what the design lets a later release store beside this one's data: members
// that nobody knows yet, kinds of messages and of changes. The older one is this tree, or with OLDER_RELEASE that of an older release.
import type { Backend } from '../../src/backend/backend.ts'

export type Release = 'older' | 'newer'

/** What a node prints once it has read something that a node of that release has stored or sent. */
export function readMark(part: string, by: Release): string {
  return `read ${part} of the ${by} release`
}

const LATER = 'later'

/** Those whose text is not ours alone: another member would be a value of the author. */
const OF_AUTHORS = /^d\./

/** The backend of a node of this release. `say` gets each `readMark` once. */
export function asRelease(backend: Backend, release: Release, say: (mark: string) => void): Backend {
  const said = new Set<string>()
  const note = (part: string, text: string | undefined) => {
    const value = text === undefined ? undefined : objectIn(text)
    if (value === undefined) return
    const mark = readMark(part, value[LATER] === undefined ? 'older' : 'newer')
    if (!said.has(mark)) say(mark)
    said.add(mark)
  }
  const isNewer = release === 'newer'
  const written = (text: string) => (isNewer ? withLater(text) : text)
  const { records, logs, topics, limits, tasks } = backend
  if (tasks === undefined) throw new Error('the backend keeps no tasks')
  return {
    records: {
      async get(key, options) {
        const kept = await records.get(key, options)
        if (key.startsWith('s.')) note('a session', kept?.value)
        return kept
      },
      put: (key, value, options) => records.put(key, OF_AUTHORS.test(key) ? value : written(value), options),
      delete: (key, options) => records.delete(key, options),
    },
    logs,
    topics: {
      async publish(topic, text) {
        // A kind that only later releases have.
        if (isNewer && topic.startsWith('n.')) await topics.publish(topic, withKind(text, 'later-kind'))
        await topics.publish(topic, topic.startsWith('changes') ? withChange(written(text)) : written(text))
      },
      subscribe: (topic, listener) =>
        topics.subscribe(topic, {
          message(text) {
            note(topic.startsWith('changes') ? 'a change' : 'a message', text)
            listener.message(text)
          },
          missed: () => listener.missed(),
        }),
    },
    limits,
    tasks: new Proxy(tasks, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown
        if (name === 'create') {
          return (task: { input: string }, ...rest: unknown[]) =>
            Reflect.apply(member as never, target, [{ ...task, input: written(task.input) }, ...rest])
        }
        if (name === 'claim') {
          return async (...args: unknown[]) => {
            const claims = (await Reflect.apply(member as never, target, args)) as { input: string }[]
            for (const { input } of claims) note('a task', input)
            return claims
          }
        }
        return typeof member === 'function' ? (member.bind(target) as unknown) : member
      },
    }),
    open: (use) => backend.open(use),
    close: () => backend.close(),
    health: () => backend.health(),
  }

  function withChange(text: string): string {
    const value = objectIn(text)
    if (!isNewer || value === undefined || !Array.isArray(value['changes'])) return text
    return JSON.stringify({ ...value, changes: [['laterChanged', 'x'], ...(value['changes'] as unknown[])] })
  }
}

function withLater(text: string): string {
  const value = objectIn(text)
  if (value === undefined) return text
  const release = 'release' in value ? { release: '99.0.0' } : {}
  return JSON.stringify({ ...value, ...release, [LATER]: { is: ['unknown', 1, null] } })
}

function withKind(text: string, kind: string): string {
  return JSON.stringify({ ...objectIn(text), kind })
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined
  const value = JSON.parse(text) as unknown
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

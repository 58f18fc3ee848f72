// Tells somebody of every operation of a backend: which one, how long it took, how it failed.
import { isThenable, type MaybePromise } from '../primitives/async/promises.ts'
import { monotonicNow } from '../primitives/async/timer.ts'
import type { Backend } from './backend.ts'
import { BackendError, type BackendFailure } from './backend-error.ts'
import { checkBackend, registerBackend } from './parts.ts'
import { SEALING, sealingOf } from './sealing.ts'
import { InnerUse } from './use-backend.ts'

/** One operation of a backend, as observers see it. */
export interface BackendOperation {
  /** The method, such as `records.get`. */
  readonly operation: string
  /** How long it took, in milliseconds. */
  readonly durationMs: number
  /** Absent where it succeeded. `other` is what no engine should throw. */
  readonly failure?: BackendFailure | 'other'
}

type Method = (...given: never[]) => unknown

/** Those that last, and are not over when they return. */
const LASTING = new Set(['logs.follow', 'topics.subscribe', 'tasks.watch'])

const METHODS = {
  records: ['get', 'put', 'delete'],
  logs: ['append', 'post', 'read', 'follow', 'drop'],
  topics: ['publish', 'subscribe'],
  limits: ['take', 'hold', 'release'],
  tasks: [
    ...['create', 'discard', 'get', 'list', 'countOpen', 'claim', 'renew', 'extend', 'keepStep', 'journal'],
    ...['ask', 'answer', 'park', 'release', 'finish', 'cancel', 'watch'],
  ],
} as const

/** The same backend. `onOperation` is called after each operation; what it throws is dropped. */
export function observed(backend: Backend, onOperation: (done: BackendOperation) => void): Backend {
  checkBackend('observed()', backend)
  const inner = new InnerUse(backend)
  const { records, logs, topics, limits, tasks } = backend
  const observe = <Part extends object>(name: keyof typeof METHODS, part: Part) => observePart(name, part, onOperation)
  return registerBackend({
    records: Object.defineProperty(observe('records', records), SEALING, { get: () => sealingOf(records) }),
    logs: observe('logs', logs),
    topics: observe('topics', topics),
    limits: observe('limits', limits),
    ...(tasks !== undefined && { tasks: observe('tasks', tasks) }),
    open: (use) => inner.open(use),
    close: () => inner.close(),
    health: () => backend.health(),
  })
}

function observePart<Part extends object>(
  name: keyof typeof METHODS,
  part: Part,
  onOperation: (done: BackendOperation) => void,
): Part {
  const methods = METHODS[name].map((method): [string, Method] => {
    const operation = `${name}.${method}`
    const original = (part as Record<string, Method>)[method] as Method
    const call = (...given: never[]) => original.apply(part, given)
    return [method, LASTING.has(operation) ? call : timed(operation, call, onOperation)]
  })
  return Object.fromEntries(methods) as Part
}

function timed(operation: string, call: Method, onOperation: (done: BackendOperation) => void): Method {
  const report = (startedAt: number, error?: { readonly thrown: unknown }) => {
    const durationMs = monotonicNow() - startedAt
    try {
      onOperation(
        error === undefined ? { operation, durationMs } : { operation, durationMs, failure: failureOf(error) },
      )
    } catch {
      // Whoever observes must not change what is observed.
    }
  }
  return (...given) => {
    const startedAt = monotonicNow()
    let result: MaybePromise<unknown>
    try {
      result = call(...given)
    } catch (thrown) {
      report(startedAt, { thrown })
      throw thrown
    }
    if (!isThenable(result)) {
      report(startedAt)
      return result
    }
    return Promise.resolve(result).then(
      (value) => {
        report(startedAt)
        return value
      },
      (thrown: unknown) => {
        report(startedAt, { thrown })
        throw thrown
      },
    )
  }
}

function failureOf({ thrown }: { readonly thrown: unknown }): BackendFailure | 'other' {
  return thrown instanceof BackendError ? thrown.kind : 'other'
}

// Which backend a part belongs to, so that parts of several backends can be put together.
import { typeError } from '../primitives/help.ts'
import { describeKind } from '../primitives/options.ts'
import type { Backend } from './backend.ts'

export const PARTS = ['records', 'logs', 'topics', 'limits', 'tasks'] as const

export type PartName = (typeof PARTS)[number]

const owners = new WeakMap<object, Backend>()

/**
 * Remembers the parts of a backend, so that `combine` can open and close it. Every engine calls this once its parts are there. A part
 * that has an owner keeps it.
 */
export function registerBackend<B extends Backend>(backend: B): B {
  for (const name of PARTS) {
    const part = backend[name]
    if (part !== undefined && !owners.has(part)) owners.set(part, backend)
  }
  return backend
}

export function ownerOf(part: object): Backend | undefined {
  return owners.get(part)
}

/** Throws a `TypeError` for what is no backend, such as the client of an engine. */
export function checkBackend(owner: string, given: unknown): void {
  const { records, open } = (given ?? {}) as Partial<Backend>
  if (typeof records === 'object' && typeof open === 'function') return
  throw typeError(
    'bad-backend',
    `${owner} takes a backend, as redis(), sqlite(), postgres(), nats() and memory() return it, not ${describeKind(given)}.`,
  )
}

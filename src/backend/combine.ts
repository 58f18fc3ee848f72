// Parts of several backends as one.
import { typeError } from '../primitives/help.ts'
import { checkKind } from '../primitives/options.ts'
import type { Backend, BackendHealth, BackendUse } from './backend.ts'
import { ownerOf, PARTS, type PartName, registerBackend } from './parts.ts'
import { InnerUse } from './use-backend.ts'

/** Parts as they are taken from backends. `open`, `close` and `health`, which a spread may bring along, are not used. */
export type CombinedParts = Pick<Backend, 'records' | 'logs' | 'topics' | 'limits'> & {
  /** The backend that keeps tasks (default: that of `records`). */
  readonly tasks?: Backend['tasks'] | undefined
}

interface Owner {
  readonly backend: Backend
  readonly inner: InnerUse
  /** Of the combination. */
  readonly parts: PartName[]
}

/**
 * One backend of parts of several: `combine({ ...redis(url), tasks: postgres(url).tasks })`. It opens, closes and asks each of them
 * once, and is ready when all of them are.
 */
export function combine(parts: CombinedParts): Backend {
  const owners = findOwners(parts)
  const { records, logs, topics, limits, tasks } = parts
  return registerBackend({
    records,
    logs,
    topics,
    limits,
    ...(tasks !== undefined && { tasks }),
    open: (use) => openAll(owners, use),
    close: () => closeAll(owners),
    health: () => healthOfAll(owners),
  })
}

function findOwners(parts: CombinedParts): readonly Owner[] {
  checkKind('The parts of combine()', parts, 'object')
  const owners = new Map<Backend, Owner>()
  for (const name of PARTS) {
    const part = parts[name]
    if (part === undefined && name === 'tasks') continue
    const backend = part === undefined ? undefined : ownerOf(part)
    if (backend === undefined) {
      throw typeError(
        'bad-backend',
        `${name} of combine() is not a part of a backend. Pass the parts of redis(), memory() or another engine.`,
      )
    }
    const owner = owners.get(backend) ?? { backend, inner: new InnerUse(backend), parts: [] }
    owners.set(backend, owner)
    owner.parts.push(name)
  }
  return [...owners.values()]
}

async function openAll(owners: readonly Owner[], use: BackendUse | undefined): Promise<void> {
  const results = await Promise.allSettled(owners.map((owner) => owner.inner.open(use)))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed === undefined) return
  // Those that did open are closed again, so that a failed start leaves nothing behind.
  await Promise.allSettled(
    owners.map(({ inner }, index) => (results[index]?.status === 'fulfilled' ? inner.close() : undefined)),
  )
  throw failed.reason
}

async function closeAll(owners: readonly Owner[]): Promise<void> {
  const results = await Promise.allSettled(owners.map(({ inner }) => inner.close()))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function healthOfAll(owners: readonly Owner[]): Promise<BackendHealth> {
  const all = await Promise.all(owners.map(async ({ backend, parts }) => ({ parts, ...(await backend.health()) })))
  const details = all.flatMap(({ isReady, detail, parts }) => {
    if (isReady && detail === undefined) return []
    return [`${parts.join(', ')}: ${detail ?? 'not ready'}`]
  })
  const latencies = all.flatMap(({ latencyMs }) => (latencyMs === undefined ? [] : [latencyMs]))
  return {
    isReady: all.every(({ isReady }) => isReady),
    ...(latencies.length > 0 && { latencyMs: Math.max(...latencies) }),
    ...(details.length > 0 && { detail: details.join('; ') }),
  }
}

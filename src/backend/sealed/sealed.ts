// A backend whose values only those can read and write who have the secrets.
import type { OwnBytes } from '../../primitives/byte-tools.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { checkSecrets, type Secret } from '../../primitives/sealing/secrets.ts'
import type { Backend, BackendUse } from '../backend.ts'
import { checkBackend, registerBackend } from '../parts.ts'
import { InnerUse } from '../use-backend.ts'
import { Seal, type SealUse } from './seal.ts'
import { SealedLogs } from './sealed-logs.ts'
import { SealedRecords } from './sealed-records.ts'
import { SealedTasks } from './sealed-tasks.ts'
import { SealedTopics } from './sealed-topics.ts'

/** Options of `sealed()`. */
export interface SealedOptions {
  /** Part of the name of every value, so that none can be moved to another server (default: that of the server that opens it first). */
  namespace?: string | undefined
}

export const SEALED_KEYS: KnownKeys<SealedOptions> = { namespace: 'string' }

/**
 * Encrypts and authenticates every value, log entry, message and task text (AES-256-GCM) under its name. The first secret seals, all of
 * them open. A value that cannot be opened is treated as absent, and `BackendUse.report` gets a warning. Names, times, numbers and
 * the owners and kinds of tasks stay readable in the engine.
 */
export function sealed(backend: Backend, secrets: readonly Secret[], options: SealedOptions = {}): Backend {
  checkKeys('sealed()', options, SEALED_KEYS)
  checkBackend('sealed()', backend)
  return seal(backend, checkSecrets('secrets', secrets, 'sealed()'), options.namespace)
}

/** For engines with the option `seal`: as `sealed()`, and the errors name the option of the engine. */
export function sealedBy(
  owner: string,
  backend: Backend,
  { seal: secrets, namespace }: { seal?: readonly Secret[] | undefined; namespace?: string | undefined },
): Backend {
  return secrets === undefined ? backend : seal(backend, checkSecrets('seal', secrets, owner), namespace)
}

function seal(backend: Backend, bytes: readonly OwnBytes[], namespace: string | undefined): Backend {
  const use: SealUse = { namespace: namespace ?? '', report: () => {} }
  let isNamed = namespace !== undefined
  const seals: Seal[] = []
  const partSeal = (part: string) => {
    const made = new Seal(bytes, part, use)
    seals.push(made)
    return made
  }
  const inner = new InnerUse(backend)
  const { records, logs, topics, limits } = backend
  const tasks = backend.tasks && new SealedTasks(backend.tasks, partSeal('tasks'))
  return registerBackend({
    records: new SealedRecords(records, partSeal('records')),
    logs: new SealedLogs(logs, partSeal('logs')),
    topics: new SealedTopics(topics, partSeal('topics')),
    limits,
    ...(tasks !== undefined && { tasks }),
    async open(given?: BackendUse) {
      const { namespace: first, report } = given ?? {}
      if (!isNamed && first !== undefined) {
        use.namespace = first
        isNamed = true
      }
      if (report !== undefined) use.report = report
      await Promise.all(seals.map((one) => one.load()))
      await inner.open(given)
    },
    async close() {
      await tasks?.close()
      await inner.close()
    },
    health: () => backend.health(),
  })
}

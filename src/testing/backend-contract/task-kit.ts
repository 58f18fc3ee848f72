// What the cases about tasks have in common.
import type { Claim, NewTask, Task } from '../../backend/task-store.ts'
import { present } from './check.ts'
import type { Case } from './under-test.ts'

export const DONE = { status: 'completed', text: '{"content":[]}' } as const

/** Ids are random in life. Here they are only different. */
let made = 0

export function newTask(change: Partial<NewTask> = {}): NewTask {
  made += 1
  return {
    id: `task-${String(made).padStart(6, '0')}`,
    owner: 'ada',
    kind: 'report',
    dialect: 'extension',
    input: '{"quarter":"Q3"}',
    ttlMs: 3_600_000,
    keepMs: 600_000,
    pollIntervalMs: 500,
    maxAttempts: 1,
    ...change,
  }
}

/** Creates a task, and returns what was given. */
export async function create(of: Case, change: Partial<NewTask> = {}): Promise<NewTask> {
  const task = newTask(change)
  await of.tasks.create(task)
  return task
}

export async function get({ otherTasks }: Case, { id }: { readonly id: string }): Promise<Task> {
  return present('task', await otherTasks.get(id))
}

export async function claimAll(of: Case, leaseMs = of.longMs, max = 10): Promise<readonly Claim[]> {
  return of.tasks.claim('w1', { kinds: ['report'], max, leaseMs })
}

export async function claimOne(of: Case, leaseMs = of.longMs): Promise<Claim> {
  return present('claim', (await claimAll(of, leaseMs, 1))[0])
}

/** Lets the short time pass, and waits until somebody else gets a claim. */
export async function claimWhenLost(of: Case, leaseMs = of.longMs): Promise<Claim> {
  let claim: Claim | undefined
  await of.passes(of.shortMs, 'a claim', async () => {
    ;[claim] = await of.otherTasks.claim('w2', { kinds: ['report'], max: 1, leaseMs })
    return claim !== undefined
  })
  return present('claim', claim)
}

/** Lets the short time pass, and waits until the store has ended what is overdue: any claim does that. */
export async function whenDue(of: Case, what: string, condition: () => unknown, afterMs = of.shortMs): Promise<void> {
  await of.passes(afterMs, what, async () => {
    await of.otherTasks.claim('w3', { kinds: ['another-kind'], max: 1, leaseMs: of.longMs })
    return condition()
  })
}

export function idsOf(tasks: readonly { readonly id: string }[]): string[] {
  return tasks.map(({ id }) => id)
}

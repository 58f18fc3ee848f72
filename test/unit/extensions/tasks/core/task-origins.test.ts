import { expect, it, vi } from 'vitest'
import type { Task } from '../../../../../src/backend/task-store.ts'
import { TaskOrigins } from '../../../../../src/extensions/tasks/core/task-origins.ts'
import type { TaskRuntime } from '../../../../../src/extensions/tasks/server/runtime.ts'
import type { ServerRequestContext } from '../../../../../src/server/context.ts'
import { settle } from '../../../../support/fake-tasks.ts'

vi.mock(import('../../../../../src/server/context.ts'), async (importOriginal) => ({
  ...(await importOriginal()),
  connectionOfRequest: (request) => (request as unknown as { connection: never }).connection,
}))

const TASK = { id: 'T1', status: 'working', createdAt: 0, updatedAt: 0, ttlMs: null, pollIntervalMs: 1_000 }

it.each(Array.from({ length: 8 }, (_, steps) => steps))(
  'a client hears of a change that comes %i steps after the last look began',
  async (steps) => {
    let status = 'working'
    const heard: unknown[] = []
    const notify = async (_method: string, params: { status?: unknown }) => void heard.push(params.status)
    const connection = { backChannel: { notify }, defer: () => {} }
    const store = { get: async () => ({ ...TASK, status }) }
    const origins = new TaskOrigins({ store, now: 0 } as unknown as TaskRuntime)
    origins.add({ connection, meta: {} } as unknown as ServerRequestContext, TASK as unknown as Task)
    origins.changed('T1')
    for (let step = 0; step < steps; step += 1) await undefined
    status = 'input_required'
    origins.changed('T1')
    await settle()
    expect(heard).toEqual(['input_required'])
  },
)

// Core tasks under any order of requests: a final state stays, the result stays, and the list shows what tasks/get shows.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../../../../src/client/client.ts'
import { createDeferred, type Deferred } from '../../../../../src/primitives/async/promises.ts'
import { fakeClock } from '../../../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../../../src/testing/with-tasks.ts'
import { MCPError } from '../../../../../src/types/errors/errors.ts'
import type { Task } from '../../../../../src/types/features/tasks.ts'
import {
  cancelTask,
  connectAs,
  getTask,
  resultOf,
  serverWithTasks,
  startTask,
} from '../../../../interaction/tasks/support-core.ts'

const INPUT = { type: 'object', properties: { outcome: { type: 'string' } } } as const
const CALLERS = ['ada', 'bob'] as const

type Step =
  | { kind: 'start'; caller: number; outcome: 'text' | 'failure' | 'error' }
  | { kind: 'end' | 'cancel' | 'steal'; caller: number; task: number }
  | { kind: 'advance'; ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      caller: fc.nat(1),
      outcome: fc.constantFrom('text', 'failure', 'error'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('end', 'cancel', 'steal'), caller: fc.nat(1), task: fc.nat(9) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
  },
) as fc.Arbitrary<Step>

interface Known {
  readonly id: string
  readonly owner: number
  /** Ends the work of the tool. */
  readonly gate: Deferred<void>
  final?: Task
  outcome?: string
}

class World {
  readonly clock = fakeClock()
  readonly known: Known[] = []
  readonly #gates: Deferred<void>[] = []
  readonly server
  clients: Client[] = []

  constructor() {
    const { server } = serverWithTasks({ limits: { perOwner: 1_000 }, workers: 1_000 })
    withTasks(server, { clock: this.clock })
    server.tool('work', { input: INPUT, task: { keepMs: 5_000, ttlMs: 10_000 } }, async ({ outcome }) => {
      const gate = createDeferred()
      this.#gates.push(gate)
      await gate.promise
      if (outcome === 'error') throw new MCPError(-32050, 'broken')
      return { content: [{ type: 'text' as const, text: 'done' }], isError: outcome === 'failure' }
    })
    this.server = server
  }

  async open(): Promise<void> {
    this.clients = await Promise.all(CALLERS.map((name) => connectAs(this.server, name)))
  }

  async close(): Promise<void> {
    for (const gate of this.#gates) gate.resolve()
    await Promise.all(this.clients.map((client) => client.close()))
    await this.server.close()
  }

  async play(one: Step): Promise<void> {
    if (one.kind === 'advance') {
      await this.clock.advance(one.ms)
      return
    }
    const client = this.clients[one.caller] as Client
    if (one.kind === 'start') {
      const before = this.#gates.length
      const { taskId } = await startTask(client, 'work', { outcome: one.outcome })
      while (this.#gates.length === before) await getTask(client, taskId)
      this.known.push({ id: taskId, owner: one.caller, gate: this.#gates.at(-1) as Deferred<void> })
      return
    }
    const task = this.known[one.task]
    if (task === undefined) return
    const owner = this.clients[task.owner] as Client
    if (one.kind === 'end') {
      const isOpen = await isWorking(owner, task.id)
      task.gate.resolve()
      if (isOpen) await outcomeOf(owner, task.id)
    } else if (one.kind === 'cancel') await cancelTask(owner, task.id).catch(() => {})
    else {
      const stranger = this.clients[1 - task.owner] as Client
      for (const request of [getTask, resultOf, cancelTask]) {
        await expect(request(stranger, task.id)).rejects.toMatchObject({ code: -32602 })
      }
    }
  }

  async check(): Promise<void> {
    for (const [caller, client] of this.clients.entries()) {
      const { tasks } = await client.session.sendRequest('tasks/list', {})
      const shown: Task[] = []
      for (const task of this.known.filter(({ owner }) => owner === caller)) {
        const now = await getTask(client, task.id).catch(() => undefined)
        if (now === undefined) continue
        shown.push(now)
        if (now.status === 'working') {
          expect(task.final).toBeUndefined()
          continue
        }
        const outcome = await outcomeOf(client, task.id)
        task.final ??= now
        task.outcome ??= outcome
        expect(now).toEqual(task.final)
        expect(outcome).toBe(task.outcome)
      }
      expect(tasks).toEqual(shown)
    }
  }
}

async function isWorking(client: Client, id: string): Promise<boolean> {
  return getTask(client, id).then(
    ({ status }) => status === 'working',
    () => false,
  )
}

function outcomeOf(client: Client, id: string): Promise<string> {
  return resultOf(client, id).then(
    (result) => JSON.stringify(result),
    (error: MCPError) => JSON.stringify(error.toErrorData()),
  )
}

describe('tasks L-08, L-10, L-12, L-14 in any order', () => {
  it('keep final states and results, and list what tasks/get shows', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const world = new World()
        await world.open()
        try {
          for (const one of steps) {
            await world.play(one)
            await world.check()
          }
        } finally {
          await world.close()
        }
      }),
      { numRuns: 40 },
    )
  })
})

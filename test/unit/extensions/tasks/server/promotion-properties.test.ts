// However the end of the work, the creation of the task and a cancellation fall together: one answer, one run, one result.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MemoryTaskStore } from '../../../../../src/backend/memory-task-store.ts'
import type { Claim } from '../../../../../src/backend/task-store.ts'
import { TASK_INTERNALS } from '../../../../../src/extensions/tasks/options/tasks-options.ts'
import { callWork, rawClient, serverWith, textOf } from './support-promotion.ts'

const PROMOTE_MS = 2_000

interface Times {
  /** When the handler ends. */
  readonly endMs: number
  /** How long the store takes to create a task. */
  readonly createMs: number
  /** When the handler calls `ctx.background()`; beyond the end: never. */
  readonly backgroundMs: number
  /** When the client cancels the request; beyond the end: never. */
  readonly cancelMs: number
  readonly fails: boolean
}

const near = (ms: number) => fc.integer({ min: -2, max: 2 }).map((off) => Math.max(0, ms + off))

const times: fc.Arbitrary<Times> = fc.record({
  endMs: fc.oneof(fc.integer({ min: 0, max: 6_000 }), near(PROMOTE_MS), near(PROMOTE_MS + 500)),
  createMs: fc.constantFrom(0, 1, 500, 1_000),
  backgroundMs: fc.oneof(fc.constant(10_000), fc.integer({ min: 0, max: 4_000 })),
  cancelMs: fc.oneof(fc.constant(10_000), fc.integer({ min: 0, max: 4_000 }), near(PROMOTE_MS + 500)),
  fails: fc.boolean(),
})

it('exactly one answer, exactly one run, and never both a plain result and a task', async () => {
  await fc.assert(
    fc.asyncProperty(times, async ({ endMs, createMs, backgroundMs, cancelMs, fails }) => {
      let runs = 0
      const finished: string[] = []
      const store = new MemoryTaskStore({ now: () => clock.now() })
      const made = serverWith(
        async (ctx, time) => {
          runs += 1
          const wait = (ms: number) => new Promise<void>((resolve) => void time.setTimer(resolve, ms))
          const ended = wait(endMs)
          if (backgroundMs < endMs) {
            await wait(backgroundMs)
            await ctx.background()
          }
          await ended
          if (fails) throw new Error('failed')
          return 'done'
        },
        { tasks: { [TASK_INTERNALS]: { store } } as never },
      )
      const { clock } = made
      const create = store.create.bind(store)
      store.create = async (...given) => {
        await new Promise<void>((resolve) => void clock.setTimer(resolve, createMs))
        return create(...given)
      }
      const finish = store.finish.bind(store)
      store.finish = async (claim: Claim, outcome) => {
        const outcomeOfStore = await finish(claim, outcome)
        finished.push(outcomeOfStore)
        return outcomeOfStore
      }
      await using client = await rawClient(made.server)
      const abort = new AbortController()
      const answers: unknown[] = []
      void callWork(client, { signal: abort.signal }).then(
        (answer) => answers.push(answer),
        () => answers.push('cancelled'),
      )
      clock.setTimer(() => abort.abort(), cancelMs)
      await clock.advance(20_000)

      expect(runs).toBe(1)
      expect(answers).toHaveLength(1)
      const [answer] = answers as [Record<string, unknown> | 'cancelled']
      const open = await store.countOpen()
      expect(open).toBe(0)
      const isTask = typeof answer === 'object' && answer['resultType'] === 'task'
      if (isTask) {
        const task = await store.get(String(answer['taskId']))
        expect(task?.status).toBe('completed')
        expect(finished).toEqual(['finished'])
        const result = JSON.parse(task?.outcome ?? '{}') as { isError?: boolean }
        expect(result.isError === true).toBe(fails)
        if (!fails) expect(textOf(result)).toBe('done')
      } else {
        // A task that nobody knows of is gone, not finished.
        expect(finished).toEqual([])
        expect(await store.list('nobody', { dialect: 'extension', limit: 10 })).toEqual([])
      }
      await made.server.close()
    }),
    { numRuns: 60, seed: 18 },
  )
}, 120_000)

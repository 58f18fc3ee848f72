// Any order of runs, answers, cancels, time and lost processes: one outcome, one run at a time, keys used once.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TaskState } from '../../../../../src/types/extensions/tasks.ts'
import { accept, NAME_FORM } from '../../../../interaction/kit/support-mcpserver.ts'
import { type TaskNode, TaskNodes } from '../../../../support/shared-tasks.ts'

type Event =
  | { do: 'advance'; ms: number }
  | { do: 'answer'; which: number }
  | { do: 'cancel' }
  | { do: 'die' }
  | { do: 'let go' }

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 600, 6_000, 31_000) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.constant({ do: 'let go' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'die' as const }) },
)

const FINAL = ['completed', 'failed', 'cancelled']

it('keeps its promises in any order of runs, answers, cancels, time and lost processes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 14 }),
      fc.boolean(),
      fc.boolean(),
      async (events, isRepeatable, holds) => {
        await using nodes = new TaskNodes()
        /** Runs that may act: not aborted, not given up, of a process that lives. */
        const acting = new Set<{ isAlive: () => boolean; signal: AbortSignal }>()
        const steps: string[] = []
        const waiting: (() => void)[] = []
        const dead = new Set<string>()
        const define = (name: string) => (server: TaskNode['server']) => {
          const annotations = { readOnlyHint: isRepeatable }
          server.tool('work', { task: { mode: 'always', holds }, annotations }, async (_args, ctx) => {
            const run = { isAlive: () => !dead.has(name), signal: ctx.signal }
            for (const other of acting) if (other.signal.aborted || !other.isAlive()) acting.delete(other)
            expect(acting.size).toBe(0)
            acting.add(run)
            await ctx.step('once', () => void steps.push(name))
            const [a, b] = await Promise.all([ctx.elicit('A?', NAME_FORM), ctx.elicit('B?', NAME_FORM)])
            await new Promise<void>((resolve) => waiting.push(resolve))
            const c = await ctx.elicit('A?', NAME_FORM)
            acting.delete(run)
            return [a, b, c].map(({ action }) => action).join()
          })
        }
        const first = await nodes.add(define('first'))
        const second = await nodes.add(define('second'))
        const { taskId } = await first.tasks.start('work')
        const asked = new Map<string, string>()
        let final: TaskState | undefined
        const look = async () => {
          const state = await second.tasks.get(taskId)
          for (const [key, { params }] of Object.entries(state.inputRequests ?? {})) {
            const text = JSON.stringify(params)
            expect(asked.get(key) ?? text).toBe(text)
            asked.set(key, text)
          }
          if (final !== undefined) expect(state).toEqual(final)
          else if (FINAL.includes(state.status)) final = state
          return state
        }
        for (const one of events) {
          if (one.do === 'advance') await nodes.clock.advance(one.ms)
          else if (one.do === 'let go') waiting.shift()?.()
          else if (one.do === 'cancel') await second.tasks.cancel(taskId)
          else if (one.do === 'die' && !dead.has('first')) {
            dead.add('first')
            first.die()
          } else if (one.do === 'answer') {
            const keys = Object.keys((await look()).inputRequests ?? {})
            const key = keys[one.which % Math.max(1, keys.length)]
            if (key !== undefined) await second.tasks.update(taskId, { [key]: accept('x') })
          }
          await look()
        }
        if (final?.status === 'completed') {
          expect(final.result?.content).toEqual([{ type: 'text', text: 'accept,accept,accept' }])
          expect(asked.size).toBe(3)
        }
        // A step may be cut off with its process before it was kept; it is never done twice by processes that live.
        expect(steps.filter((name) => !dead.has(name)).length).toBeLessThanOrEqual(1)
      },
    ),
    { numRuns: 10 },
  )
}, 120_000)

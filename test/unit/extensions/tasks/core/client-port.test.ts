// The result of a core task on the client: waited for while the task works, asked for with a time limit once it has ended.
import { describe, expect, it } from 'vitest'
import type { ClientSession } from '../../../../../src/client/session/session.ts'
import { TaskFollower } from '../../../../../src/extensions/tasks/client/task-follower.ts'
import { waitForEnd } from '../../../../../src/extensions/tasks/client/waiting.ts'
import { createCoreTaskPort } from '../../../../../src/extensions/tasks/core/client-port.ts'
import { MCPError } from '../../../../../src/types/errors/errors.ts'
import { FakeClock, FakePort, state, TASK_ID } from '../../../../support/fake-tasks.ts'

const OK = { content: [{ type: 'text', text: 'done' }] }

describe('tasks/result', () => {
  it('has no time limit while the task works, and that of any request once it has ended', async () => {
    const limits: unknown[] = []
    const sendRequest = async (_method: string, _params: object, options: object) => {
      limits.push(Object.hasOwn(options, 'timeoutMs') ? (options as { timeoutMs: number }).timeoutMs : 'default')
      if (limits.length === 1) throw new MCPError(-32001, 'Timed out', undefined, { local: true })
      return OK
    }
    const { signal } = new AbortController()
    const port = createCoreTaskPort({ sendRequest } as unknown as ClientSession, signal)
    const result = port.createResultSource?.(TASK_ID, () => {})
    result?.fetchEarly(signal)
    await result?.complete(state({ status: 'completed' }), signal)
    expect(limits).toEqual([Infinity, 'default'])
  })

  it('that is never answered ends the wait as polls without a response do', async () => {
    const clock = new FakeClock()
    const port = new FakePort(clock, [state({ status: 'completed' })])
    let asked = 0
    const createResultSource = () => ({
      fetchEarly() {},
      async complete() {
        asked += 1
        throw new MCPError(-32001, 'Timed out', undefined, { local: true })
      },
    })
    const follower = new TaskFollower({
      taskId: TASK_ID,
      port: Object.assign(port, { createResultSource }),
      clock,
      state: state({ status: 'completed' }),
      keptUntil: clock.monotonic() + 120_000,
      answer: () => Promise.reject(new Error('No questions')),
    })
    let end: string | undefined
    void waitForEnd(follower, clock, {}).then(({ kind }) => {
      end = kind
    })
    await clock.advance(200_000)
    expect(end).toBe('unreachable')
    expect(asked).toBeGreaterThan(3)
  })
})

describe('a wait without timeoutMs', () => {
  it.each([
    ['the server keeps the task, and a minute,', 120_000, 179_000],
    ['a minute, where the server should have dropped the task', 0, 59_000],
  ])('ends after as long as %s without a sign of life', async (_name, keptMs, stillWaitingMs) => {
    const clock = new FakeClock()
    const port = new FakePort(clock, [() => new Promise<never>(() => {})])
    const keptUntil = clock.monotonic() + keptMs
    const answer = () => Promise.reject(new Error('No questions'))
    const follower = new TaskFollower({ taskId: TASK_ID, port, clock, state: undefined, keptUntil, answer })
    let end: string | undefined
    void waitForEnd(follower, clock, {}).then(({ kind }) => {
      end = kind
    })
    await clock.advance(stillWaitingMs)
    expect(end).toBeUndefined()
    await clock.advance(2_000)
    expect(end).toBe('stopped')
    expect(clock.timers).toBe(0)
  })
})

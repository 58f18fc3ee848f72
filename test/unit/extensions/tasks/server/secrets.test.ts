// What a task keeps of the request that created it, and what it does not.
import { describe, expect, it } from 'vitest'
import { MemoryTaskStore } from '../../../../../src/backend/memory-task-store.ts'
import type { TaskStore } from '../../../../../src/backend/task-store.ts'
import { Client } from '../../../../../src/client/client.ts'
import type { Channel } from '../../../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../../../src/dispatcher/memory-channel.ts'
import { type GivenTasksOptions, TASK_INTERNALS } from '../../../../../src/extensions/tasks/options/tasks-options.ts'
import { BareTasks, taskServer, WITH_TASKS } from '../../../../interaction/kit/support-tasks.ts'

const TOKEN = 'Bearer very-secret-token'
const AUTH = { clientId: 'app', subject: 'ada', scopes: ['read'] }
const KEYS = { keys: ['k'.repeat(32)] }

/** As over HTTP, behind a token check. */
function withHeaders(channel: Channel): Channel {
  const transport = { kind: 'http', canSendRequest: true, headers: { authorization: TOKEN, cookie: 'c=1' }, auth: AUTH }
  return {
    send: (message, hints) => channel.send(message, hints),
    close: () => channel.close(),
    start: (receiver) =>
      channel.start({
        ...receiver,
        message: (message, hints) => receiver.message(message, { ...hints, transport }),
        fault: (fault) => receiver.fault(fault),
        lost: (id, reason) => receiver.lost(id, reason),
        closed: (reason) => receiver.closed(reason),
      }),
  }
}

/** Everything that was ever written, as text. */
function recording(): { store: TaskStore; written: () => string } {
  const inner = new MemoryTaskStore()
  const texts: string[] = []
  const store = new Proxy(inner as TaskStore, {
    get:
      (target, name) =>
      (...args: unknown[]) => {
        texts.push(JSON.stringify(args))
        return (Reflect.get(target, name) as (...given: unknown[]) => unknown).apply(target, args)
      },
  })
  return { store, written: () => texts.join() }
}

async function run(options: GivenTasksOptions) {
  const { store, written } = recording()
  const seen: unknown[] = []
  const { server } = taskServer({ ...options, [TASK_INTERNALS]: { store } } as GivenTasksOptions)
  server.tool('report', { task: 'always' }, (_args, ctx) => {
    seen.push(ctx.auth, ctx.http?.headers)
    return 'done'
  })
  const transport = {
    kind: 'memory',
    open: async () => {
      const [here, there] = createMemoryChannelPair()
      await server.connect(withHeaders(there))
      return here
    },
  }
  await using client = await Client.connect(transport, WITH_TASKS)
  const state = await new BareTasks(client).finish('report')
  await server.close()
  return { state, seen, written: written() }
}

describe('what a task keeps of its caller', () => {
  it('X-13: the principal, and neither token nor cookie', async () => {
    const { state, seen, written } = await run({})
    expect(state.status).toBe('completed')
    expect(seen).toEqual([AUTH, undefined])
    expect(written).not.toContain('secret')
    expect(written).not.toContain('c=1')
  })

  it('X-13: with keepTokens the authorization too, and the store has it encrypted only', async () => {
    const { state, seen, written } = await run({ keepTokens: KEYS })
    expect(state.status).toBe('completed')
    expect(seen).toEqual([AUTH, { authorization: TOKEN }])
    expect(written).not.toContain('secret')
  })

  it('X-13: a kept token that cannot be read fails the run', async () => {
    const store = new MemoryTaskStore()
    const make = (keepTokens: GivenTasksOptions['keepTokens'], workers: number) => {
      const given = { workers, ...(keepTokens && { keepTokens }), [TASK_INTERNALS]: { store } } as GivenTasksOptions
      const made = taskServer(given)
      made.server.tool('report', { task: 'always' }, () => 'done')
      return made.server
    }
    const creating = make(KEYS, 0)
    const transport = {
      kind: 'memory',
      open: async () => {
        const [here, there] = createMemoryChannelPair()
        await creating.connect(withHeaders(there))
        return here
      },
    }
    await using client = await Client.connect(transport, WITH_TASKS)
    const tasks = new BareTasks(client)
    const { taskId } = await tasks.start('report')
    await using _working = await Client.connect(make({ keys: ['x'.repeat(32)] }, 1))
    expect(await tasks.ended(taskId)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: expect.stringContaining('keepTokens') },
    })
  })

  it('keys that are too short are refused when the server starts', async () => {
    const { server } = taskServer({ keepTokens: { keys: ['short'] } })
    await expect(Client.connect(server)).rejects.toThrow('at least 32 bytes')
  })
})

// The option `task` of tools and the options of `tasks()`, checked where they are given.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { planTask } from '../../../../../src/mcpserver/extensions/task-plan.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { taskServer } from '../../../../interaction/kit/support-tasks.ts'

const defining = (task: unknown) => () => {
  taskServer().server.tool('report', { task: task as never }, () => 'done')
}

describe('the option task of a tool', () => {
  it('needs tasks() among the extensions, and the error says so', () => {
    const server = new MCPServer('plain')
    expect(() => server.tool('report', { task: true }, () => 'done')).toThrow(
      "Add tasks() from 'mcpwire/extensions/tasks' to the option extensions of the server.",
    )
    server.tool('plain', { task: false }, () => 'done')
  })

  it.each([
    ['sometimes', RangeError, "must be true or 'optional', 'always', 'required', 'manual', not \"sometimes\""],
    [{ mode: 'never' }, RangeError, 'task.mode of tool "report" must be true or \'optional\''],
    [{ mode: false }, RangeError, 'not false'],
    [5, TypeError, 'must be true, '],
    [null, TypeError, 'or an object'],
    [[], TypeError, 'or an object'],
    [{ tllMs: 5 }, TypeError, 'Unknown option "tllMs" for task of tool "report". The nearest known option is "ttlMs".'],
    [{ ttlMs: 0 }, RangeError, 'ttlMs in the option task of tool "report" must be an integer from 1 to'],
    [{ ttlMs: '1 h' }, RangeError, 'not a string'],
    [{ keepMs: -1 }, RangeError, 'keepMs'],
    [{ pollIntervalMs: 5 }, RangeError, 'must be an integer from 100 to 60000, not 5'],
    [{ maxRuntimeMs: 1.5 }, RangeError, 'not 1.5'],
    [{ attempts: 0 }, RangeError, 'attempts'],
    [{ leaseMs: 10 }, RangeError, 'leaseMs'],
    [{ promoteAfterMs: Number.NaN }, RangeError, 'promoteAfterMs'],
    [{ holds: 'yes' }, TypeError, 'holds'],
  ])('is refused as %j', (task, kind, message) => {
    expect(defining(task)).toThrow(kind as ErrorConstructor)
    expect(defining(task)).toThrow(message as string)
  })

  it('has the defaults of the documentation', () => {
    expect(planTask('tool "x"', true, undefined)).toEqual({
      mode: 'optional',
      promoteAfterMs: 2_000,
      ttlMs: 3_600_000,
      keepMs: 600_000,
      pollIntervalMs: 0,
      maxRuntimeMs: undefined,
      attempts: 1,
      leaseMs: 30_000,
      holds: false,
    })
    expect(planTask('tool "x"', 'always', { idempotentHint: true }).attempts).toBe(3)
    expect(planTask('tool "x"', { attempts: 2 }, { readOnlyHint: true }).attempts).toBe(2)
  })

  it('has the plain word true for its mode in both forms', async () => {
    const { server } = taskServer()
    server.tool('short', { task: true }, () => 'done')
    server.tool('full', { task: { mode: true, ttlMs: 60_000 } }, () => 'done')
    await using client = await Client.connect(server, { mode: '2025-11-25' })
    const supports = (await client.listTools()).tools.map(({ execution }) => execution?.taskSupport)
    expect(supports).toEqual(['optional', 'optional'])
    expect(planTask('tool "x"', { mode: true }, undefined)).toEqual(planTask('tool "x"', true, undefined))
  })

  it('can be changed later', () => {
    const { server } = taskServer()
    const tool = server.tool('report', () => 'done')
    tool.update({ task: 'always' })
    expect(() => tool.update({ task: { ttlMs: -1 } })).toThrow(RangeError)
  })
})

describe('the options of tasks()', () => {
  it.each([
    [{ worker: 3 }, 'The nearest known option is "workers"'],
    [{ workers: -1 }, 'workers'],
    [{ workers: 1.5 }, 'workers'],
    [{ limits: { perOwner: 0 } }, 'perOwner'],
    [{ limits: { owner: 1 } }, 'Unknown option "owner"'],
    [{ owner: 'me' }, 'owner'],
    [{ executor: {} }, 'start'],
    [{ keepTokens: { key: 'x' } }, 'Unknown option "key"'],
    [{ watch: 'always' }, 'watch'],
  ])('are refused as %j', (options, message) => {
    expect(() => tasks(options as never)).toThrow(message)
  })
})

// The forms of core tasks: a task, the related-task tag, the cursor of tasks/list, and taskSupport in a listing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../../../../src/extensions/tasks/core/list-cursor.ts'
import { withRelatedTask } from '../../../../../src/extensions/tasks/core/related-task.ts'
import { listTaskSupport } from '../../../../../src/extensions/tasks/core/task-support.ts'
import { toWireTask } from '../../../../../src/extensions/tasks/core/wire-task.ts'
import { MCPError } from '../../../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../../../src/types/protocol/json.ts'
import { isTask } from '../../../../../src/wire/guards.ts'

const STORED = {
  id: 'a'.repeat(43),
  status: 'working',
  createdAt: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  updatedAt: Date.UTC(2026, 0, 2, 3, 4, 6),
  ttlMs: 3_600_000,
  pollIntervalMs: 1_000,
} as const

describe('tasks L-07: a task on the wire', () => {
  it('has the names, ISO times and whole numbers of 2025-11-25', () => {
    expect(
      toWireTask({ ...STORED, ttlMs: 3_600_000.4, pollIntervalMs: 1_000.2, statusMessage: 'half done' }, 0),
    ).toEqual({
      taskId: STORED.id,
      status: 'working',
      statusMessage: 'half done',
      createdAt: '2026-01-02T03:04:05.006Z',
      lastUpdatedAt: '2026-01-02T03:04:06.000Z',
      ttl: 3_600_001,
      pollInterval: 1_001,
    })
  })

  it('says null for a task without a limit, and takes another status where this revision has another', () => {
    expect(toWireTask({ ...STORED, ttlMs: null }, 0).ttl).toBeNull()
    expect(toWireTask({ ...STORED, status: 'completed' }, 0, 'failed').status).toBe('failed')
  })

  it('fits the published shape whatever the store holds', () => {
    const facts = fc.record({
      id: fc.string({ minLength: 1 }),
      status: fc.constantFrom('working', 'input_required', 'completed', 'failed', 'cancelled'),
      createdAt: fc.integer({ min: 0, max: 8e15 }),
      updatedAt: fc.integer({ min: 0, max: 8e15 }),
      ttlMs: fc.option(fc.double({ min: 0, max: 4e10, noNaN: true })),
      pollIntervalMs: fc.double({ min: 1, max: 60_000, noNaN: true }),
    })
    fc.assert(
      fc.property(facts, (task) => isTask(toWireTask(task as Parameters<typeof toWireTask>[0], task.updatedAt))),
    )
  })
})

describe('tasks L-09: the related-task tag', () => {
  it('stands beside what _meta holds, and leaves the message unchanged', () => {
    const message: JSONObject = { content: [], _meta: { mine: 1 } }
    const tagged = withRelatedTask(message, 'T1')
    expect(tagged).toEqual({
      content: [],
      _meta: { mine: 1, 'io.modelcontextprotocol/related-task': { taskId: 'T1' } },
    })
    expect(message).toEqual({ content: [], _meta: { mine: 1 } })
    expect(withRelatedTask({}, 'T1')['_meta']).toEqual({ 'io.modelcontextprotocol/related-task': { taskId: 'T1' } })
  })

  it('replaces the tag of another task', () => {
    expect(withRelatedTask(withRelatedTask({}, 'T1'), 'T2')).toEqual(withRelatedTask({}, 'T2'))
  })
})

describe('tasks L-14: the cursor of tasks/list', () => {
  it('comes back as it was', () => {
    const id = fc.stringMatching(/^[\w-]{1,128}$/)
    fc.assert(
      fc.property(id, fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (taskId, createdAt) => {
        expect(decodeCursor(encodeCursor({ id: taskId, createdAt }))).toEqual({ id: taskId, createdAt })
      }),
    )
  })

  it('is refused with -32602 where this server has not written it', () => {
    const texts = ['', 'x', 'MQ', 'e30', 'A'.repeat(10_000), encodeCursor({ id: '', createdAt: 1 })]
    for (const text of texts) expect(codeOf(text), text.slice(0, 20)).toBe(-32602)
    fc.assert(fc.property(fc.string(), (text) => codeOf(text) === -32602))
  })
})

describe('tasks L-02: taskSupport in a listing', () => {
  it('is for legacy clients, and stands beside what the tool has', () => {
    const tool = { name: 'build', inputSchema: { type: 'object' as const } }
    expect(listTaskSupport(tool, 'legacy', 'optional')).toEqual({ ...tool, execution: { taskSupport: 'optional' } })
    expect(listTaskSupport(tool, 'modern', 'optional')).toBe(tool)
  })
})

function codeOf(cursor: string): number | undefined {
  try {
    decodeCursor(cursor)
  } catch (error) {
    return error instanceof MCPError ? error.code : undefined
  }
  return undefined
}

// What a client keeps of a state that a server sent.
import { describe, expect, it } from 'vitest'
import { readTaskState } from '../../../../../src/extensions/tasks/client/task-state.ts'

const STATE = { taskId: 't1', status: 'working', createdAt: '2026-01-01', lastUpdatedAt: '2026-01-02', ttlMs: 5 }

describe('a state of a task', () => {
  it('has the members that this package does not know, and not the envelope', () => {
    const vendor = { 'com.example/priority': { level: 3 }, note: 'x' }
    expect(readTaskState({ ...STATE, ...vendor, resultType: 'complete', _meta: { a: 1 } })).toEqual({
      ...STATE,
      ...vendor,
    })
  })

  it('has none of the unknown members where they are too long together', () => {
    expect(readTaskState({ ...STATE, a: 'x'.repeat(40_000), b: 'x'.repeat(40_000) })).toEqual(STATE)
  })

  it('has a result and an error with a final status only', () => {
    const result = { content: [] }
    const error = { code: -32603, message: 'x' }
    expect(readTaskState({ ...STATE, result, error })).toEqual(STATE)
    expect(readTaskState({ ...STATE, status: 'completed', result })).toEqual({ ...STATE, status: 'completed', result })
    expect(readTaskState({ ...STATE, status: 'failed', error })).toEqual({ ...STATE, status: 'failed', error })
  })

  it('keeps a member named __proto__ as a member, and its own prototype', () => {
    const sent: unknown = JSON.parse(JSON.stringify(STATE).replace('{', '{"__proto__":{"status":"completed","x":1},'))
    const state = readTaskState(sent)
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype)
    expect(state.status).toBe('working')
    expect(Object.hasOwn(state, '__proto__')).toBe(true)
    expect(state['x']).toBeUndefined()
  })
})

// Limits on sessions: values that are no limits, and what a flood of handshakes may cost other sessions.
import { describe, expect, it, vi } from 'vitest'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { createHandler } from '../../../../../src/server/http/handler.ts'
import { completeSessionOptions } from '../../../../../src/server/http/legacy/legacy-options.ts'
import type { Session } from '../../../../../src/server/http/legacy/session.ts'
import { SessionManager } from '../../../../../src/server/http/legacy/session-manager.ts'
import { MemoryEventStore } from '../../../../../src/server/http/streams/event-store.ts'

describe('a limit that is none', () => {
  const nothing = Number(undefined)

  it.each([
    ['sessions.max', { sessions: { max: nothing } }],
    ['sessions.maxPerPrincipal', { sessions: { maxPerPrincipal: nothing } }],
    ['sessions.idleMs', { sessions: { idleMs: nothing } }],
    ['sessions.max', { sessions: { max: 0 } }],
    ['streamAfterMs', { streamAfterMs: nothing }],
    ['keepAliveMs', { keepAliveMs: nothing }],
    ['storeTimeoutMs', { storeTimeoutMs: nothing }],
    ['retryMs', { retryMs: -1 }],
  ])('I9 is rejected at once instead of limiting nothing: %s', (name, options) => {
    expect(() => createHandler(new MCPServer('x'), options)).toThrow(
      new RegExp(`^${name} is (?:NaN|0|-1)\\. Use a number`),
    )
  })

  it.each(['maxEventsPerStream', 'maxBytesPerStream', 'maxBytes'])(
    'I9 is rejected by the event store, too: %s',
    (name) => {
      expect(() => new MemoryEventStore({ [name]: nothing })).toThrow(
        new RegExp(`^${name} is (?:NaN|0|-1)\\. Use a number`),
      )
    },
  )
})

describe('a full endpoint', () => {
  it('F120 looks for idle sessions now and then, not for every handshake that it rejects', async () => {
    const isIdle = vi.fn(() => false)
    const session = { id: 'a', principal: undefined, isIdle, close: async () => {} } as unknown as Session
    const sessions = new SessionManager(completeSessionOptions({ max: 1 }), () => session)
    expect(sessions.reserve(undefined)).toBe(true)
    sessions.settle(session)
    const admitted = Array.from({ length: 1_000 }, () => sessions.reserve(undefined))
    expect(admitted.some(Boolean)).toBe(false)
    expect(isIdle.mock.calls.length).toBeGreaterThan(0)
    expect(isIdle.mock.calls.length).toBeLessThan(10)
    await sessions.close()
  })
})

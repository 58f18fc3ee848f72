// Requests of extensions against a server that answers anything.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ClientExtensionRequest } from '../../../../src/client/extensions/owned-requests.ts'
import { InvalidResultError } from '../../../../src/types/errors/failures.ts'
import { openHandshake, openModern } from '../../../support/sessions.ts'

afterEach(() => vi.useRealTimers())

const MODERN_ONLY = ['2026-07-28'] as const

function owning(request: ClientExtensionRequest = {}) {
  return { extensionRequests: { 'tasks/get': { protocolVersions: MODERN_ONLY, nameParam: 'taskId', ...request } } }
}

describe('a request of an extension', () => {
  it.each(['task', 'input_required', '', 7, null])('T-32 is not answered by a result of the type %j', async (type) => {
    await using open = await openModern(owning())
    const { session, server } = open
    server.on('tasks/get', { resultType: type, taskId: 't1' })
    await expect(session.sendRequest('tasks/get', { taskId: 't1' })).rejects.toThrow(InvalidResultError)
  })

  it('takes a finished result with members that the specification gave the name in another revision', async () => {
    await using open = await openModern(owning())
    const { session, server } = open
    const state = { resultType: 'complete', taskId: 't1', status: 'working', ttlMs: 5, ttl: 'x', own: [1] }
    server.on('tasks/get', state)
    await expect(session.sendRequest('tasks/get', { taskId: 't1' })).resolves.toEqual(state)
  })

  it('C-TASK-04 has its name in the header Mcp-Name, and its params as they are', async () => {
    await using open = await openModern(owning())
    const { session, server } = open
    server.on('tasks/get', { taskId: 't1' })
    await session.sendRequest('tasks/get', { taskId: 't1', own: 1 } as never)
    expect(server.headersOf('tasks/get')).toMatchObject({ 'Mcp-Method': 'tasks/get', 'Mcp-Name': 't1' })
    expect(server.paramsOf('tasks/get')).toMatchObject({ taskId: 't1', own: 1 })
  })

  it('waits as long as the extension says, where neither the request nor the session does', async () => {
    await using open = await openModern(owning({ timeoutMs: 5_000 }))
    const { session, server } = open
    server.on('tasks/get', () => undefined)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const own = session.sendRequest('tasks/get', { taskId: 't1' }).catch((error: unknown) => error)
    const given = session.sendRequest('tasks/get', { taskId: 't1' }, { timeoutMs: 50 }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(50)
    expect(await given).toMatchObject({ code: -32001, message: expect.stringContaining('50 ms') })
    await vi.advanceTimersByTimeAsync(4_950)
    expect(await own).toMatchObject({ code: -32001, message: expect.stringContaining('5000 ms') })
  })

  it('is the one of the specification where a revision has it', async () => {
    await using open = await openHandshake(owning({ isValid: () => false }))
    const { session, server } = open
    const task = { taskId: 't1', status: 'working', createdAt: '2026-01-01', lastUpdatedAt: '2026-01-01', ttl: null }
    server.on('tasks/get', task)
    await expect(session.sendRequest('tasks/get', { taskId: 't1' })).resolves.toEqual(task)
    server.on('tasks/get', { taskId: 7 })
    await expect(session.sendRequest('tasks/get', { taskId: 't1' })).rejects.toThrow(InvalidResultError)
  })

  it('passes the middleware, whose own result is checked like one of the server', async () => {
    const seen: string[] = []
    const middleware = async ({ method }: { method: string }, next: () => Promise<object>) => {
      seen.push(method)
      return method === 'tasks/get' ? { resultType: 'task' } : ((await next()) as never)
    }
    await using open = await openModern({ ...owning(), middleware: [middleware as never] })
    await expect(open.session.sendRequest('tasks/get', { taskId: 't1' })).rejects.toThrow(InvalidResultError)
    expect(seen).toContain('tasks/get')
  })
})

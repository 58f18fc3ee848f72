// Servers that send tasks against the rules. Time stands still, so that nobody waits for a server that never ends.
import { afterEach, expect, vi } from 'vitest'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { InvalidResultError, LimitError } from '../../../src/types/errors/failures.ts'
import type { TaskState } from '../../../src/types/extensions/tasks.ts'
import type { Answer } from '../../support/scripted-server.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { connectScripted, NAME_FORM, SAMPLING, stopTime, textOf } from '../kit/support-interaction.ts'

afterEach(() => {
  vi.useRealTimers()
})

const WORKING = {
  taskId: 'T1',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 100,
}
const HANDLE = { ...WORKING, resultType: 'task' }
const RESULT = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] }
const COMPLETED = { ...WORKING, status: 'completed', result: RESULT, resultType: 'complete' }
const ACK = { resultType: 'complete' }

/** A client of a server that answers every call with a task, and goes on as the test says. */
async function connectHostile(setting: Setting, get: Answer | object, options: ClientOptions = {}) {
  const connected = await connectScripted(setting, { extensions: [tasks({ watch: false })], ...options })
  connected.server
    .on('tools/call', HANDLE)
    .on('tools/list', { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' })
    .on('tasks/get', get as Answer)
    .on('tasks/update', ACK)
    .on('tasks/cancel', ACK)
  return connected
}

requirement('tasks T-32: a task on another method, or undeclared', async (setting) => {
  await using declared = await connectHostile(setting, COMPLETED)
  declared.server.on('prompts/get', HANDLE).on('resources/read', HANDLE).on('tools/list', HANDLE)
  await expect(declared.client.getPrompt('any')).rejects.toThrow(InvalidResultError)
  await expect(declared.client.readResource('file:///any')).rejects.toThrow(InvalidResultError)
  await expect(declared.client.listTools()).rejects.toThrow(InvalidResultError)
  declared.server.on('tasks/get', HANDLE)
  await expect(declared.client.tasks.get('T1')).rejects.toThrow(InvalidResultError)
  await using undeclared = await connectHostile(setting, COMPLETED, { extensions: [] })
  await expect(undeclared.client.callTool('any')).rejects.toThrow(InvalidResultError)
  expect(undeclared.server.received('tasks/get')).toEqual([])
})

requirement('tasks T-37: a question that the client cannot answer fails the call', async (setting) => {
  const onElicitation = () => ({ action: 'accept', content: {} }) as const
  const asking = { ...WORKING, status: 'input_required', resultType: 'complete' }
  for (const [question, message] of [
    [SAMPLING, /asks for sampling, and this client has no onSampling/],
    [{ method: 'tools/call', params: { name: 'x' } }, /does not have the method/],
    [{ method: 'elicitation/create', params: { message: 5 } }, /Invalid params/],
    [NAME_FORM, /invalid result/],
  ] as const) {
    await using connected = await connectHostile(
      setting,
      { ...asking, inputRequests: { q: question } },
      { onElicitation },
    )
    await expect(connected.client.callTool('any')).rejects.toThrow(message)
    expect(connected.server.received('tasks/update')).toEqual([])
    expect(connected.server.received('tasks/cancel')).toHaveLength(1)
  }
  await using connected = await connectHostile(setting, { ...asking, inputRequests: { q: 'who?' } }, { onElicitation })
  await expect(connected.client.callTool('any')).rejects.toThrow(InvalidResultError)
})

requirement('tasks T-40: the result of a task is checked like a plain one', async (setting) => {
  const completed = (result: unknown) => ({ ...COMPLETED, result })
  await using connected = await connectHostile(setting, COMPLETED)
  const { client, server } = connected
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  const tool = { name: 'add', inputSchema: { type: 'object' }, outputSchema }
  server.on('tools/list', { resultType: 'complete', tools: [tool], ttlMs: 0, cacheScope: 'private' })
  const wrong = { ...RESULT, structuredContent: { sum: 'three' } }
  for (const result of [
    wrong,
    RESULT,
    'text',
    { resultType: 'complete' },
    { ...RESULT, resultType: 'task' },
    undefined,
  ]) {
    server.on('tasks/get', completed(result))
    await expect(client.callTool('add')).rejects.toThrow(InvalidResultError)
    await expect((await client.tasks.start('add')).result()).rejects.toThrow(InvalidResultError)
  }
  // With or without the resultType that the schema demands and the examples leave out.
  const { resultType: _resultType, ...bare } = { ...RESULT, structuredContent: { sum: 3 } }
  server.on('tasks/get', completed(bare))
  expect(await client.callTool('add')).toMatchObject({ structuredContent: { sum: 3 } })
  expect(await (await client.tasks.start('add')).result()).toMatchObject({ structuredContent: { sum: 3 } })
})

requirement('client-tasks:hostile:handle', async (setting) => {
  await using connected = await connectHostile(setting, COMPLETED)
  const { client, server } = connected
  for (const broken of [
    { taskId: undefined },
    { taskId: '' },
    { taskId: 7 },
    { taskId: 'x'.repeat(1_025) },
    { taskId: 'a\u0001b' },
    { taskId: 'a\u0085b' },
    { status: undefined },
    { status: { a: 1 } },
  ]) {
    server.on('tools/call', { ...HANDLE, ...broken })
    await expect(client.callTool('any')).rejects.toThrow(InvalidResultError)
  }
  expect(server.received('tasks/get')).toEqual([])
  for (const absurd of [
    { ttlMs: -1, pollIntervalMs: -1 },
    { ttlMs: 1e300, createdAt: 'yesterday', lastUpdatedAt: 5 },
    { ttlMs: 'long', pollIntervalMs: 'soon', createdAt: {} },
    { ttlMs: 0.5, pollIntervalMs: 0.001 },
  ]) {
    server.on('tools/call', { ...HANDLE, ...absurd }).on('tasks/get', { ...COMPLETED, ...absurd })
    expect(textOf(await client.callTool('any'))).toBe('done')
  }
})

requirement('client-tasks:hostile:state', async (setting) => {
  await using connected = await connectHostile(setting, { ...COMPLETED, taskId: 'T2' })
  const { client, server } = connected
  await expect(client.callTool('any')).rejects.toThrow(/see taskId/)
  // Nothing is known of the task but that its server is at fault: it can be looked at later.
  expect(await client.tasks.pending()).toHaveLength(1)
  server.on('tasks/get', { ...WORKING, status: 5, resultType: 'complete' })
  await expect(client.callTool('any')).rejects.toThrow(InvalidResultError)
  server.on('tasks/get', { error: { code: -32000, message: 'down' } })
  await expect(client.callTool('any')).rejects.toMatchObject({ code: -32000 })

  const states = [
    {
      ...WORKING,
      statusMessage: 'm'.repeat(10_000_000),
      custom: { kept: true },
      lastUpdatedAt: '2026-01-01T00:00:01Z',
    },
    COMPLETED,
  ]
  server.on('tasks/get', () => ({ resultType: 'complete', ...states.shift() }))
  const seen: TaskState[] = []
  expect(textOf(await client.callTool('any', {}, { onStatus: (state) => seen.push(state) }))).toBe('done')
  expect(seen[1]?.statusMessage?.length).toBeLessThan(5_000)
  expect(seen[1]).toMatchObject({ custom: { kept: true } })

  const long = { junk: ['x'.repeat(40_000), { deep: 'x'.repeat(30_000) }], result: RESULT }
  const more = [
    { ...WORKING, ...long, lastUpdatedAt: '2026-01-01T00:00:01Z' },
    { ...COMPLETED, custom: [1, { a: null }] },
  ]
  server.on('tasks/get', () => ({ resultType: 'complete', ...more.shift() }))
  const later: TaskState[] = []
  await client.callTool('any', {}, { onStatus: (state) => later.push(state) })
  expect(later[1]).toEqual({ ...WORKING, lastUpdatedAt: '2026-01-01T00:00:01Z' })
  expect(later[2]).toMatchObject({ custom: [1, { a: null }] })
})

requirement('client-tasks:hostile:endless', async (setting) => {
  let asked = 0
  const onElicitation = vi.fn(() => ({ action: 'accept', content: { name: 'Ada' } }) as const)
  const asking = () => {
    asked += 1
    return { ...WORKING, status: 'input_required', resultType: 'complete', inputRequests: { [`q${asked}`]: NAME_FORM } }
  }
  await using connected = await connectHostile(setting, asking, { onElicitation })
  const { client, server } = connected
  stopTime()
  const caught = client.callTool('any').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await caught).toBeInstanceOf(LimitError)
  expect(onElicitation).toHaveBeenCalledTimes(100)
  expect(server.received('tasks/cancel')).toHaveLength(1)

  server.on('tasks/get', { ...WORKING, status: 'input_required', resultType: 'complete' })
  const stuck = client.callTool('any').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(70_000)
  expect(await stuck).toMatchObject({ code: -32001, local: true })
  expect(server.received('tasks/cancel')).toHaveLength(2)
})

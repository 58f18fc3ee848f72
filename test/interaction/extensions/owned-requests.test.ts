// Methods that an extension owns on the client, of a vendor or with names that another revision has.
import { expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { ClientExtension } from '../../../src/client/extensions/extension.ts'
import type { ClientExtensionRequest } from '../../../src/client/extensions/owned-requests.ts'
import { ClientSession } from '../../../src/client/session/session.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import type { ServerExtension } from '../../../src/server/extensions/extension.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { text, toolServer } from '../kit/support-interaction.ts'

const MODERN_ONLY = ['2026-07-28'] as const
const JOBS = 'com.example/jobs'

/** A client extension that owns these methods. */
function owning(requests: Record<string, ClientExtensionRequest>, identifier = JOBS): ClientExtension {
  return { identifier, requests }
}

/** A server whose extension answers `tasks/get` where the specification does not have it, and a vendor's method. */
function jobServer(answer: (params: JSONObject) => JSONObject = ({ taskId }) => ({ taskId, status: 'working' })) {
  const handle = vi.fn((_ctx: unknown, params: JSONObject) => answer(params))
  const extension: ServerExtension = {
    identifier: JOBS,
    requests: {
      'tasks/get': { handle, protocolVersions: MODERN_ONLY, nameParam: 'taskId' },
      'com.example/job': { handle, nameParam: 'taskId' },
    },
  }
  return { server: toolServer(() => text(''), { extensions: [extension] }), handle }
}

requirement('client-extension:request:taken-name', async ({ connect, isModern, version }) => {
  const { server, handle } = jobServer()
  await using client = await connect(server, {
    extensions: [owning({ 'tasks/get': { protocolVersions: MODERN_ONLY, nameParam: 'taskId' } })],
  })
  await using plain = await connect(server)

  const asked = client.session.sendRequest('tasks/get', { taskId: 't1' })

  if (isModern) {
    expect(await asked).toMatchObject({ taskId: 't1', status: 'working' })
    expect(handle).toHaveBeenCalledOnce()
    await expect(plain.session.sendRequest('tasks/get', { taskId: 't1' })).rejects.toMatchObject({ local: true })
  } else {
    // At 2025-11-25 the specification has it, and the server decides.
    await expect(asked).rejects.toMatchObject({ code: -32601, local: version !== '2025-11-25' })
    expect(handle).not.toHaveBeenCalled()
  }
})

requirement('client-extension:request:vendor', async ({ connect, isModern }) => {
  const { server, handle } = jobServer()
  await using client = await connect(server, {
    extensions: [owning({ 'com.example/job': { protocolVersions: MODERN_ONLY, nameParam: 'taskId' } })],
  })

  const asked = client.session.sendRequest('com.example/job', { taskId: 't1' })

  if (isModern) expect(await asked).toMatchObject({ taskId: 't1' })
  else await expect(asked).rejects.toMatchObject({ code: -32601, local: true })
  expect(handle).toHaveBeenCalledTimes(isModern ? 1 : 0)
})

requirement('client-extension:request:result', async ({ connect }) => {
  const isValid = ({ status }: JSONObject) => typeof status === 'string'
  const results: JSONObject[] = [{ status: 'working' }, { status: 7 }]
  const { server } = jobServer(({ taskId }) => results[Number(taskId)] as JSONObject)
  await using client = await connect(server, {
    extensions: [owning({ 'com.example/job': { isValid, nameParam: 'taskId' } })],
  })
  const ask = (taskId: string) => client.session.sendRequest('com.example/job', { taskId })

  await expect(ask('0')).resolves.toMatchObject({ status: 'working' })
  await expect(ask('1')).rejects.toThrow(InvalidResultError)
})

requirement('client-extension:request:name-param', async ({ connect }) => {
  const { server, handle } = jobServer()
  await using client = await connect(server, { extensions: [owning({ 'com.example/job': { nameParam: 'taskId' } })] })

  await expect(client.session.sendRequest('com.example/job', { taskId: 'é 1' })).resolves.toBeDefined()
  await expect(client.session.sendRequest('com.example/job', {})).rejects.toThrow(TypeError)
  await expect(client.session.sendRequest('com.example/job', { taskId: 7 })).rejects.toThrow(TypeError)
  expect(handle).toHaveBeenCalledOnce()
})

requirement('client-extension:request:not-cached', async ({ connect }) => {
  const { server, handle } = jobServer(() => ({ status: 'working', ttlMs: 60_000, cacheScope: 'public' }))
  await using client = await connect(server, { extensions: [owning({ 'com.example/job': { nameParam: 'taskId' } })] })

  await client.session.sendRequest('com.example/job', { taskId: 't1' })
  await client.session.sendRequest('com.example/job', { taskId: 't1' })

  expect(handle).toHaveBeenCalledTimes(2)
})

requirement('client-extension:request:conflicts', () => {
  const server = toolServer(() => text(''))
  const create =
    (...extensions: ClientExtension[]) =>
    () =>
      new Client(server, { extensions })
  const createSession = (extensionRequests: Record<string, ClientExtensionRequest>) => () =>
    new ClientSession(createMemoryChannelPair()[0], { extensionRequests })

  for (const owns of [(requests: Record<string, ClientExtensionRequest>) => create(owning(requests)), createSession]) {
    expect(owns({ 'tools/call': {} })).toThrow(/'tools\/call' belongs to the specification at revision 2024-11-05/)
    expect(owns({ 'tasks/get': {} })).toThrow(/belongs to the specification at revision 2025-11-25/)
    expect(owns({ 'tasks/get': { protocolVersions: MODERN_ONLY } })).not.toThrow()
    expect(owns({ '': {} })).toThrow(TypeError)
    expect(owns({ 'a/b': { protocolVersions: [] } })).toThrow(TypeError)
    expect(owns({ 'a/b': { protocolVersions: ['2099-01-01' as never] } })).toThrow(TypeError)
    expect(owns({ 'a/b': { timeoutMs: -1 } })).toThrow(RangeError)
    expect(owns({ 'a/b': { nameParam: 7 as never } })).toThrow(TypeError)
    expect(owns({ 'a/b': { isValid: 7 as never } })).toThrow(TypeError)
  }
  expect(create(owning({ 'a/b': {} }), owning({ 'a/b': {} }, 'com.example/other'))).toThrow(
    /com\.example\/jobs.*com\.example\/other.*a\/b/,
  )
})

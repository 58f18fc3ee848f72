// What an extension lets clients watch: granted, told on the stream of the subscription, and to nobody else.
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import type { ExtensionWatch, ServerExtension } from '../../../../src/server/extensions/extension.ts'
import { Server } from '../../../../src/server/server.ts'
import type { AuthInfo } from '../../../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { RawPeer } from '../../../support/peers.ts'
import { signedChannel } from '../../../support/signed-channel.ts'

const ID = 'com.example/jobs'
const META = 'io.modelcontextprotocol/'

async function connect(watch: Partial<ExtensionWatch> = {}, version: 'modern' | 'legacy' = 'modern', auth?: AuthInfo) {
  const faults: Fault[] = []
  const states = new Map([
    ['a', 'working'],
    ['b', 'working'],
  ])
  const extension: ServerExtension = {
    identifier: ID,
    watches: {
      jobIds: {
        grant: (_ctx, keys) => keys.filter((key) => states.has(key)),
        describe: (key) => ({ method: 'notifications/jobs', params: { jobId: key, status: states.get(key) ?? null } }),
        ...watch,
      },
    },
  }
  const options = { subscriptions: true, extensions: [extension], onFault: (fault: Fault) => void faults.push(fault) }
  const server = new Server('jobs', { ...options, handlers: { 'tools/list': () => ({ tools: [] }) } })
  const [here, there] = createMemoryChannelPair()
  const served = await server.connect(signedChannel(there, auth))
  const peer = new RawPeer(here)
  const listen = (notifications: JSONObject, extensions: JSONObject = { [ID]: {} }) => {
    const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: { extensions } }
    peer.send({ jsonrpc: '2.0', id: 'S', method: 'subscriptions/listen', params: { notifications, _meta } })
    return peer.next()
  }
  if (version === 'legacy') {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    peer.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    await peer.next()
    peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  const change = (key: string, status: string, filter = 'jobIds') => {
    states.set(key, status)
    return server.announce({ type: 'extensionChanged', filter, key })
  }
  return { server, peer, listen, change, faults, [Symbol.asyncDispose]: () => served.close() }
}

const _meta = { [`${META}subscriptionId`]: 'S' }

describe('what an extension lets clients watch', () => {
  it('is asked for by at most 1,024 keys at once; more are not even offered to the extension', async () => {
    const offered: number[] = []
    const grant: ExtensionWatch['grant'] = (_ctx, keys) => {
      offered.push(keys.length)
      return []
    }
    const keys = Array.from({ length: 1_025 }, (_, index) => `job-${index}`)
    for (const asked of [keys.slice(0, 1_024), keys, ['a', 'a']]) {
      await using jobs = await connect({ grant })
      await jobs.listen({ jobIds: asked })
    }
    expect(offered).toEqual([1_024, 1_024, 1])
  })

  it('is granted beside what the specification has, and told with the id of the subscription', async () => {
    await using jobs = await connect()

    expect(await jobs.listen({ toolsListChanged: true, jobIds: ['a', 'a', 'none'], unknown: ['x'] })).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true, jobIds: ['a'] }, _meta },
    })
    await jobs.change('b', 'done')
    await jobs.change('a', 'done', 'others')
    await jobs.change('a', 'done')
    await jobs.server.announce({ type: 'toolsListChanged' })

    expect(await jobs.peer.next()).toMatchObject({
      method: 'notifications/jobs',
      params: { jobId: 'a', status: 'done', _meta },
    })
    expect(await jobs.peer.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
  })

  it('is refused to a client that did not declare the extension', async () => {
    await using jobs = await connect()

    expect(await jobs.listen({ jobIds: ['a'] }, {})).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { extensions: { [ID]: {} } } } },
    })
  })

  it.each([{ a: 1 }, [1], null, 'a', 7])('is refused where the keys are %j', async (jobIds) => {
    await using jobs = await connect()

    expect(await jobs.listen({ jobIds } as JSONObject)).toMatchObject({ error: { code: -32602 } })
  })

  it('is told only while there is something to tell, and one that cannot be told costs only itself', async () => {
    await using jobs = await connect({
      describe: (key) => {
        if (key === 'a') throw new Error('lost')
        return key === 'b' ? undefined : { method: 'notifications/jobs', params: { jobId: key } }
      },
      grant: (_ctx, keys) => keys,
    })
    await jobs.listen({ jobIds: ['a', 'b', 'c'] })
    for (const key of ['a', 'b', 'c']) await jobs.change(key, 'done')

    expect(await jobs.peer.next()).toMatchObject({ params: { jobId: 'c' } })
    expect(jobs.faults).toMatchObject([{ kind: 'notification-failed' }])
  })

  it('is told by what the client of the subscription may see at that time, and not with an expired token', async () => {
    const granted = new Set(['ada'])
    const describe: ExtensionWatch['describe'] = (key, { auth }) =>
      granted.has(auth?.subject ?? '') ? { method: 'notifications/jobs', params: { jobId: key } } : undefined
    const ada: AuthInfo = { clientId: 'app', scopes: [], subject: 'ada' }
    await using jobs = await connect({ describe }, 'modern', ada)
    await jobs.listen({ toolsListChanged: true, jobIds: ['a', 'b'] })
    await jobs.change('a', 'done')
    expect(await jobs.peer.next()).toMatchObject({ params: { jobId: 'a' } })
    granted.clear()
    await jobs.change('b', 'done')
    await jobs.server.announce({ type: 'toolsListChanged' })
    expect(await jobs.peer.next()).toMatchObject({ method: 'notifications/tools/list_changed' })

    granted.add('ada')
    await using expired = await connect({ describe }, 'modern', { ...ada, expiresAt: 1 })
    await expired.listen({ toolsListChanged: true, jobIds: ['a'] })
    await expired.change('a', 'done')
    await expired.server.announce({ type: 'toolsListChanged' })
    expect(await expired.peer.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
  })

  it('is nothing to clients of the legacy era', async () => {
    await using jobs = await connect({}, 'legacy')
    await jobs.change('a', 'done')
    await jobs.server.announce({ type: 'toolsListChanged' })

    expect(await jobs.peer.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(jobs.faults).toEqual([])
  })

  it('cannot take a member of the specification, nor that of another extension', () => {
    const watch: ExtensionWatch = { grant: (_ctx, keys) => keys, describe: () => undefined }
    const making = (...extensions: ServerExtension[]) => {
      return () => new Server('s', { extensions })
    }

    expect(making({ identifier: ID, watches: { toolsListChanged: watch } })).toThrow('belongs to the specification')
    expect(
      making({ identifier: ID, watches: { x: watch } }, { identifier: 'com.example/b', watches: { x: watch } }),
    ).toThrow(`Both '${ID}' and 'com.example/b' watch 'x'`)
  })
})

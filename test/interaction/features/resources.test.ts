// Resources: listing, reading and watching what a server lets its clients read.
import { expect, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../../src/types/features/resources.ts'
import { requirement } from '../kit/requirement.ts'
import { answerRaw, failureOf, Inbox, refusalOf } from '../kit/support-features.ts'

type Read = NonNullable<NonNullable<ServerOptions['handlers']>['resources/read']>

function library(read: Read, options: ServerOptions = {}): Server {
  return new Server('library', {
    ...options,
    handlers: { 'resources/list': () => ({ resources: [] }), 'resources/read': read, ...options.handlers },
  })
}

const EMPTY: ReadResourceResult = { contents: [] }

requirement('resources:list', async ({ connect }) => {
  const resources: Resource[] = [
    { uri: 'file:///a.txt', name: 'a', description: 'First', mimeType: 'text/plain', size: 5 },
    { uri: 'custom+scheme://host/path?q=1#frag', name: 'b', annotations: { audience: ['user'], priority: 1 } },
  ]
  const server = library(() => EMPTY, { handlers: { 'resources/list': () => ({ resources }) } })
  await using client = await connect(server)

  expect((await client.listResources()).resources).toEqual(resources)
})

requirement('resources:templates', async ({ connect }) => {
  const resourceTemplates: ResourceTemplate[] = [
    { uriTemplate: 'db://{table}/{id}{?fields*}', name: 'row', description: 'A row', mimeType: 'application/json' },
  ]
  const server = library(() => EMPTY, { handlers: { 'resources/templates/list': () => ({ resourceTemplates }) } })
  await using client = await connect(server)

  expect((await client.listResourceTemplates()).resourceTemplates).toEqual(resourceTemplates)
})

requirement('resources:read:text', async ({ connect }) => {
  const server = library((_ctx, { uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: `at ${uri}` }] }))
  await using client = await connect(server)
  const uri = 'file:///a%20b/ü?x=1&y=2#z'

  expect((await client.readResource(uri)).contents).toEqual([{ uri, mimeType: 'text/plain', text: `at ${uri}` }])
})

requirement('resources:read:blob', async ({ connect }) => {
  const contents = [{ uri: 'x:1', mimeType: 'application/octet-stream', blob: 'AAECAw==' }]
  await using client = await connect(library(() => ({ contents })))

  expect((await client.readResource('x:1')).contents).toEqual(contents)
})

requirement('resources:read:several', async ({ connect }) => {
  const contents = [
    { uri: 'dir:/a', text: 'one' },
    { uri: 'dir:/b', blob: 'AA==' },
    { uri: 'dir:/c', text: '' },
  ]
  await using client = await connect(library(() => ({ contents })))

  expect((await client.readResource('dir:/')).contents).toEqual(contents)
})

requirement('resources:read:missing', async ({ connect, isModern }) => {
  const code = isModern ? -32602 : -32002
  const server = library((_ctx, { uri }) => {
    throw new MCPError(code, 'Resource not found', { uri })
  })
  await using client = await connect(server)

  const error = await failureOf(client.readResource('x:missing'))

  expect(error).toMatchObject({ code, message: 'Resource not found', data: { uri: 'x:missing' }, local: false })
})

requirement('resources:read:missing-by-the-other-code', async ({ connect, isModern }) => {
  const code = isModern ? -32002 : -32602
  const server = library((_ctx, { uri }) => {
    throw new MCPError(code, 'Resource not found', { uri })
  })
  await using client = await connect(server)

  // Spec, base protocol: -32002 must not be sent since 2026-07-28.
  expect(await refusalOf(client.readResource('x:missing'))).toEqual({ code: -32602, local: false })
})

requirement('resources:read:failure', async ({ connect }) => {
  const faults: Fault[] = []
  const read: Read = () => {
    throw new Error('cannot open /srv/secret/passwords')
  }
  await using client = await connect(library(read, { onFault: (fault) => faults.push(fault) }))

  const error = await failureOf(client.readResource('x:1'))

  expect(error).toMatchObject({ code: -32603, local: false })
  expect(JSON.stringify([String(error), (error as MCPError).data])).not.toContain('secret')
  expect(faults.map(({ kind }) => kind)).toContain('handler-failed')
})

requirement('resources:read:without-uri', async ({ connect }) => {
  const read = vi.fn(() => EMPTY)
  await using client = await connect(library(read))

  const refusal = await refusalOf(client.session.sendRequest('resources/read', {} as unknown as { uri: string }))

  expect(refusal).toEqual({ code: -32602, local: false })
  expect(read).not.toHaveBeenCalled()
})

requirement('resources:read:neither-text-nor-blob', async ({ connect }) => {
  const server = library(() => EMPTY)
  answerRaw(server, 'resources/read', () => ({ contents: [{ uri: 'x:1', mimeType: 'text/plain' }] }))
  await using client = await connect(server)

  expect(await failureOf(client.readResource('x:1'))).toBeInstanceOf(InvalidResultError)
})

requirement('resources:not-offered', async ({ connect }) => {
  await using client = await connect(new Server('without'))

  expect(client.serverCapabilities.resources).toBeUndefined()
  expect(await refusalOf(client.listResources())).toEqual({ code: -32601, local: false })
  expect(await refusalOf(client.readResource('x:1'))).toEqual({ code: -32601, local: false })
})

requirement('resources:subscribe', async ({ connect }) => {
  const server = library(() => EMPTY, { subscriptions: true })
  const updates = new Inbox<unknown>()
  await using client = await connect(server, { onMessage: ({ method, params }) => updates.push({ method, params }) })
  expect(await client.subscribeResource('x:watched')).toEqual({})
  await server.announce({ type: 'resourceUpdated', uri: 'x:other' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:watched' })

  expect(await updates.first(1)).toEqual([{ method: 'notifications/resources/updated', params: { uri: 'x:watched' } }])
})

requirement('resources:subscribe:long-uri', async ({ connect }) => {
  const server = library(() => EMPTY, { subscriptions: true })
  await using client = await connect(server)
  const refusal = { code: -32602, data: { limit: 'bytes of a uri', max: 8_192 } }
  await expect(client.subscribeResource(`x:${'a'.repeat(8_191)}`)).rejects.toMatchObject(refusal)
  await expect(client.subscribeResource(`x:${'é'.repeat(4_096)}`)).rejects.toMatchObject(refusal)

  expect(await client.subscribeResource(`x:${'a'.repeat(8_190)}`)).toEqual({})
})

requirement('resources:subscribe:many-bytes', async ({ connect }) => {
  const server = library(() => EMPTY, { subscriptions: true })
  await using client = await connect(server)
  const uris = Array.from({ length: 33 }, (_, index) => `x:${String(index).padEnd(8_190, 'a')}`)
  await Promise.all(uris.slice(1).map((uri) => client.subscribeResource(uri)))
  await client.subscribeResource(uris[1]!)
  await expect(client.subscribeResource(uris[0]!)).rejects.toMatchObject({
    code: -32602,
    data: { limit: 'bytes of watched uris', max: 262_144 },
  })
  await client.unsubscribeResource(uris[1]!)

  expect(await client.subscribeResource(uris[0]!)).toEqual({})
})

requirement('resources:unsubscribe', async ({ connect }) => {
  const server = library(() => EMPTY, { subscriptions: true })
  const updates = new Inbox<unknown>()
  await using client = await connect(server, { onMessage: ({ params }) => updates.push(params) })
  await client.subscribeResource('x:1')
  await client.subscribeResource('x:2')
  expect(await client.unsubscribeResource('x:1')).toEqual({})
  await server.announce({ type: 'resourceUpdated', uri: 'x:1' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:2' })

  expect(await updates.first(1)).toEqual([{ uri: 'x:2' }])
})

requirement('resources:subscribe:each-client-its-own', async ({ connect }) => {
  const server = library(() => EMPTY, { subscriptions: true })
  const [one, two] = [new Inbox<unknown>(), new Inbox<unknown>()]
  await using first = await connect(server, { onMessage: ({ params }) => one.push(params) })
  await using second = await connect(server, { onMessage: ({ params }) => two.push(params) })
  await first.subscribeResource('x:1')
  await second.subscribeResource('x:2')
  await server.announce({ type: 'resourceUpdated', uri: 'x:1' })
  await server.announce({ type: 'resourceUpdated', uri: 'x:2' })
  await server.announce({ type: 'resourcesListChanged' })

  expect(await one.first(2)).toEqual([{ uri: 'x:1' }, {}])
  expect(await two.first(2)).toEqual([{ uri: 'x:2' }, {}])
})

requirement('resources:subscribe:own-handlers', async ({ connect }) => {
  const watched = new Set<string>()
  const server = library(() => EMPTY, {
    handlers: {
      'resources/subscribe': ({ session }, { uri }) => {
        watched.add(uri)
        return session.sendResourceUpdated(uri).then(() => ({}))
      },
      'resources/unsubscribe': (_ctx, { uri }) => {
        watched.delete(uri)
        return {}
      },
    },
  })
  const updates = new Inbox<unknown>()
  await using client = await connect(server, { onMessage: ({ params }) => updates.push(params) })
  expect(client.serverCapabilities.resources).toEqual({ subscribe: true })
  await client.subscribeResource('x:1')
  expect([...watched]).toEqual(['x:1'])
  expect(await updates.first(1)).toEqual([{ uri: 'x:1' }])
  await client.unsubscribeResource('x:1')
  expect([...watched]).toEqual([])
})

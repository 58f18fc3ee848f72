import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { resource } from '../../../../src/mcpserver/resources/resource.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { createServer, inBothEras, refusalOf } from '../support.ts'

inBothEras('resources', ({ connect, isModern }) => {
  const notFound = (uri: string) => ({ code: isModern ? -32602 : -32002, data: { uri } })

  it('reads text, bytes and JSON', async () => {
    const { server } = createServer()
    server.resource('notes://text', () => 'plain')
    server.resource('notes://markdown', { mimeType: 'text/markdown' }, async () => '# Title')
    server.resource('notes://bytes', () => new Uint8Array([1, 2, 3]))
    server.resource('notes://json', () => ({ a: [1] }))
    server.resource('notes://list', () => [])
    server.resource('notes://several', () => [
      { uri: 'notes://several/1', text: 'one' },
      { uri: 'notes://several/2', blob: 'AQID', mimeType: 'image/png' },
    ])
    server.resource('notes://whole', () => ({
      contents: [{ uri: 'notes://other', text: '' }],
      _meta: { 'x.com/y': 1 },
    }))
    await using client = await connect(server)
    const read = async (name: string) => (await client.readResource(`notes://${name}`)).contents

    expect(await read('text')).toEqual([{ uri: 'notes://text', mimeType: 'text/plain', text: 'plain' }])
    expect(await read('markdown')).toMatchObject([{ mimeType: 'text/markdown', text: '# Title' }])
    expect(await read('bytes')).toEqual([{ uri: 'notes://bytes', mimeType: 'application/octet-stream', blob: 'AQID' }])
    expect(await read('json')).toMatchObject([{ mimeType: 'application/json', text: '{"a":[1]}' }])
    expect(await read('list')).toMatchObject([{ mimeType: 'application/json', text: '[]' }])
    expect(await read('several')).toHaveLength(2)
    expect(await read('whole')).toEqual([{ uri: 'notes://other', text: '' }])
  })

  it('lists resources and templates with all their members', async () => {
    const { server } = createServer()
    const details = { title: 'Today', description: 'The notes of today', mimeType: 'text/plain' }
    const annotations = { audience: ['user' as const], priority: 0.5 }
    server.resource(
      'notes://today',
      { name: 'today', ...details, size: 5, annotations, meta: { 'x.com/y': 1 } },
      () => '12345',
    )
    server.resource('notes://plain', () => '')
    server.resource('notes://day/{day}', details, ({ day }) => day)
    await using client = await connect(server)

    expect((await client.listResources()).resources).toEqual([
      { uri: 'notes://today', name: 'today', ...details, size: 5, annotations, _meta: { 'x.com/y': 1 } },
      { uri: 'notes://plain', name: 'notes://plain' },
    ])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: 'notes://day/{day}', name: 'notes://day/{day}', ...details },
    ])
  })

  it('answers a missing resource with an error that names it, never with empty contents', async () => {
    const { server } = createServer()
    server.resource('notes://{id}', ({ id }) => (id === '1' ? 'one' : undefined))
    server.resource('notes://gone', () => null)
    await using client = await connect(server)

    for (const uri of ['notes://2', 'notes://gone', 'other://1', 'notes://{id}', '__proto__:x']) {
      expect(await refusalOf(client.readResource(uri))).toMatchObject(notFound(uri))
    }
  })

  it('F200 F199 finds nothing for invalid encodings, and nothing outside of the base folder', async () => {
    const { server } = createServer()
    const read = vi.fn(() => 'read')
    server.resource('files:///{+path}', read)
    server.resource('parts:///{/segments*}', read)
    await using client = await connect(server)

    const hostile = [
      '../secret',
      'a/../../secret',
      '%2e%2e%2fsecret',
      '%2e%2e/secret',
      '..%5csecret',
      'a%00',
      '%ff',
      '%zz',
    ]
    for (const path of hostile) {
      expect(await refusalOf(client.readResource(`files:///${path}`)), path).toMatchObject(notFound(`files:///${path}`))
    }
    expect(await refusalOf(client.readResource('parts:////../b'))).toMatchObject({ data: { uri: 'parts:////../b' } })
    expect(read).not.toHaveBeenCalled()
    await client.readResource('files:///a/../b')
    await client.readResource('files:///a..b/...')
    // Decoded once: what is still encoded then is a name like any other.
    await client.readResource('files:///%252e%252e%252fsecret')
    expect(read).toHaveBeenCalledTimes(3)
  })

  it('allows .. in values with allowTraversal', async () => {
    const { server } = createServer()
    server.resource('calc:///{+expression}', { allowTraversal: true }, ({ expression }) => expression)
    await using client = await connect(server)

    expect((await client.readResource('calc:///../1')).contents[0]).toMatchObject({ text: '../1' })
  })

  it('lists the resources that templates list', async () => {
    const { server, faults } = createServer()
    server.resource('notes://index', () => 'index')
    server.resource(
      'notes://day/{day}',
      {
        mimeType: 'text/plain',
        list: async function* () {
          yield { uri: 'notes://day/mon', title: 'Monday' }
          yield { uri: 'notes://day/tue', name: 'tue', mimeType: 'text/html' }
          yield { uri: 'notes://index' }
        },
      },
      ({ day }) => day,
    )
    server.resource('broken://{x}', { list: () => Promise.reject(new Error('down')) }, () => '')
    await using client = await connect(server)

    expect((await client.listResources()).resources).toEqual([
      { uri: 'notes://index', name: 'notes://index' },
      { uri: 'notes://day/mon', name: 'notes://day/mon', title: 'Monday', mimeType: 'text/plain' },
      { uri: 'notes://day/tue', name: 'tue', mimeType: 'text/html' },
    ])
    expect(faults).toMatchObject([{ kind: 'handler-failed', message: expect.stringContaining('broken://{x}') }])
  })

  it('passes on what a reader throws as every handler does', async () => {
    const { server, faults } = createServer()
    server.resource('notes://locked', () => {
      throw new MCPError(-1, 'Locked')
    })
    server.resource('notes://broken', () => {
      throw new Error('hunter2')
    })
    await using client = await connect(server)

    expect(await refusalOf(client.readResource('notes://locked'))).toMatchObject({ code: -1, message: 'Locked' })
    const refusal = await refusalOf(client.readResource('notes://broken'))
    expect(refusal).toMatchObject({ code: -32603 })
    expect(refusal.message).not.toContain('hunter2')
    expect(faults).toMatchObject([{ kind: 'handler-failed' }])
  })

  it('asks while a resource is read', async () => {
    const { server } = createServer()
    server.resource('vault://{name}', async ({ name }, ctx) => {
      const answer = await ctx.elicit('Password?', z.object({ password: z.string() }))
      return answer.action === 'accept' ? `${name}: ${answer.content.password}` : undefined
    })
    await using client = await connect(server, {
      onElicitation: () => ({ action: 'accept', content: { password: 'x' } }),
    })

    expect((await client.readResource('vault://gold')).contents[0]).toMatchObject({ text: 'gold: x' })
  })

  it('accepts definitions, in the constructor or registered', async () => {
    const { server } = createServer({
      resources: [
        resource('notes://today', { title: 'Today' }, () => 'today'),
        { uriTemplate: 'files:///{+path}', list: () => [{ uri: 'files:///a' }], read: ({ path }) => `file ${path}` },
      ],
    })
    server.resource({ uri: 'notes://object', meta: { name: 'object' }, read: () => ({ a: 1 }) })
    await using client = await connect(server)

    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['notes://today', 'files:///a', 'notes://object'])
    expect((await client.readResource('files:///x/y')).contents[0]).toMatchObject({ text: 'file x/y' })
  })
})

it('F198 stays quick with hostile templates and uris', async () => {
  const { server } = createServer()
  server.resource('x://{a}-{b}-{c}-{d}{?e,f*}', () => 'found')
  const started = process.cpuUsage()
  for (const uri of [`x://${'-'.repeat(65_000)}`, `x://${'a-'.repeat(30_000)}?`, `x://${'%41'.repeat(20_000)}`]) {
    await server.readResource(uri).catch(() => {})
  }
  const { user } = process.cpuUsage(started)
  expect(user / 1000).toBeLessThan(1_000)
})

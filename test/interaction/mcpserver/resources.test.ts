// Resources of an MCPServer: what a reader may return, how uris find it, and what is never found.
import { expect, vi } from 'vitest'
import { resource } from '../../../src/mcpserver/resources/resource.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer, NAME_FORM, refusalOf } from '../kit/support-mcpserver.ts'

const notFound = (isModern: boolean, uri: string) => ({ code: isModern ? -32602 : -32002, data: { uri } })

requirement('mcpserver:resources:text', async ({ connect }) => {
  const { server } = createServer()
  server.resource('notes://text', () => 'plain')
  server.resource('notes://markdown', { mimeType: 'text/markdown' }, async () => '# Title')
  await using client = await connect(server)

  const { contents } = await client.readResource('notes://text')
  expect(contents).toEqual([{ uri: 'notes://text', mimeType: 'text/plain', text: 'plain' }])
  expect((await client.readResource('notes://markdown')).contents).toMatchObject([{ mimeType: 'text/markdown' }])
})

requirement('resources:read:encodes-bytes', async ({ connect }) => {
  const { server } = createServer()
  server.resource('notes://bytes', () => new Uint8Array([1, 2, 3]))
  server.resource('notes://png', { mimeType: 'image/png' }, () => new Uint8Array([255]).buffer)
  await using client = await connect(server)

  const { contents } = await client.readResource('notes://bytes')
  expect(contents).toEqual([{ uri: 'notes://bytes', mimeType: 'application/octet-stream', blob: 'AQID' }])
  expect((await client.readResource('notes://png')).contents).toMatchObject([{ mimeType: 'image/png', blob: '/w==' }])
})

requirement('mcpserver:resources:json', async ({ connect }) => {
  const { server } = createServer()
  server.resource('notes://json', () => ({ a: [1] }))
  server.resource('notes://list', () => [])
  await using client = await connect(server)

  const { contents } = await client.readResource('notes://json')
  expect(contents).toEqual([{ uri: 'notes://json', mimeType: 'application/json', text: '{"a":[1]}' }])
  expect((await client.readResource('notes://list')).contents).toMatchObject([{ text: '[]' }])
})

requirement('mcpserver:resources:no-json-form', async ({ connect }) => {
  const { server, faults } = createServer()
  const values = { map: new Map(), blob: new Blob(['x']), nan: Number.NaN, floats: new Float32Array(2) }
  for (const [name, value] of Object.entries(values)) server.resource(`notes://${name}`, () => value)
  await using client = await connect(server)

  for (const name of Object.keys(values)) {
    expect(await refusalOf(client.readResource(`notes://${name}`)), name).toMatchObject({ code: -32603 })
  }
  expect(faults.map(({ kind }) => kind)).toEqual(Array(4).fill('handler-failed'))
})

requirement('mcpserver:resources:whole-contents', async ({ connect }) => {
  const { server } = createServer()
  const several = [
    { uri: 'notes://several/1', text: 'one' },
    { uri: 'notes://several/2', blob: 'AQID', mimeType: 'image/png' },
  ]
  server.resource('notes://several', () => several)
  server.resource('notes://whole', () => ({ contents: several, _meta: { 'x.com/y': 1 } }))
  await using client = await connect(server)

  expect((await client.readResource('notes://several')).contents).toEqual(several)
  expect(await client.readResource('notes://whole')).toMatchObject({ contents: several, _meta: { 'x.com/y': 1 } })
})

requirement('mcpserver:resources:listed', async ({ connect }) => {
  const { server } = createServer()
  const details = { title: 'Today', description: 'The notes of today', mimeType: 'text/plain' }
  const annotations = { audience: ['user' as const], priority: 0.5 }
  const options = { name: 'today', ...details, size: 5, annotations, meta: { 'x.com/y': 1 } }
  server.resource('notes://today', options, () => '12345')
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

requirement('mcpserver:resources:unlisted', async ({ connect }) => {
  const { server } = createServer()
  server.resource('notes://shown', () => 'shown')
  const handle = server.resource('notes://quiet', { listed: false }, () => 'quiet')
  server.resource('notes://day/{day}', { listed: false, list: () => [{ uri: 'notes://day/1' }] }, ({ day }) => day)
  await using client = await connect(server, { cache: false })
  const listed = async () => (await client.listResources()).resources.map(({ uri }) => uri)

  expect(await listed()).toEqual(['notes://shown'])
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
  expect((await client.readResource('notes://quiet')).contents).toMatchObject([{ text: 'quiet' }])
  expect((await client.readResource('notes://day/2')).contents).toMatchObject([{ text: '2' }])
  handle.update({ listed: true })
  expect(await listed()).toEqual(['notes://shown', 'notes://quiet'])
})

requirement('mcpserver:resources:template-variables', async ({ connect }) => {
  const { server } = createServer()
  server.resource('repo://{owner}/{+path}{?ref}', (variables) => ({ ...variables }))
  await using client = await connect(server)

  const { contents } = await client.readResource('repo://ada%20l/src/a.ts?ref=main')
  expect(contents[0]).toMatchObject({ uri: 'repo://ada%20l/src/a.ts?ref=main' })
  const [read] = contents
  expect(JSON.parse(read !== undefined && 'text' in read ? String(read.text) : '')).toEqual({
    owner: 'ada l',
    path: 'src/a.ts',
    ref: 'main',
  })
})

requirement('mcpserver:resources:exact-before-template', async ({ connect }) => {
  const { server } = createServer()
  server.resource('notes://{name}', ({ name }) => `template ${name}`)
  server.resource('notes://{+path}', ({ path }) => `path ${path}`)
  server.resource('notes://today', () => 'exact')
  await using client = await connect(server)
  const read = async (uri: string) => (await client.readResource(uri)).contents

  expect(await read('notes://today')).toMatchObject([{ text: 'exact' }])
  expect(await read('notes://a%20b')).toMatchObject([{ text: 'template a b', uri: 'notes://a%20b' }])
  expect(await read('notes://a/b')).toMatchObject([{ text: 'path a/b' }])
  // The text of a template is a uri like any other, though not a good one.
  expect(await read('notes://{name}')).toMatchObject([{ text: 'template {name}' }])
})

requirement('mcpserver:resources:template-lists', async ({ connect }) => {
  const { server, faults } = createServer()
  server.resource('notes://index', () => 'index')
  const list = async function* () {
    yield { uri: 'notes://day/mon' }
    yield { uri: 'notes://day/tue', name: 'tue', mimeType: 'text/html' }
    yield { uri: 'notes://index' }
  }
  server.resource('notes://day/{day}', { mimeType: 'text/plain', list }, ({ day }) => day)
  server.resource('broken://{x}', { list: () => Promise.reject(new Error('down')) }, () => '')
  await using client = await connect(server)

  expect((await client.listResources()).resources).toEqual([
    { uri: 'notes://index', name: 'notes://index' },
    { uri: 'notes://day/mon', name: 'notes://day/mon', mimeType: 'text/plain' },
    { uri: 'notes://day/tue', name: 'tue', mimeType: 'text/html' },
  ])
  expect(faults).toMatchObject([{ kind: 'handler-failed', message: expect.stringContaining('broken://{x}') }])
})

requirement('resources:read:missing-by-itself', async ({ connect, isModern }) => {
  const { server } = createServer()
  server.resource('notes://known', () => 'known')
  await using client = await connect(server)

  for (const uri of ['notes://unknown', 'other://known', '__proto__:x']) {
    expect(await refusalOf(client.readResource(uri))).toMatchObject(notFound(isModern, uri))
  }
})

requirement('mcpserver:resources:template-lists-bad-items', async ({ connect }) => {
  const { server, faults } = createServer()
  server.resource('notes://index', () => 'index')
  const bad = [
    { name: 'no uri' },
    null,
    'notes://text',
    { uri: 'notes://1', size: 'big' },
    { uri: 'notes://2', _meta: 1n },
  ]
  server.resource('notes://{day}', { list: () => [...bad, { uri: 'notes://good' }] as never }, () => '')
  server.resource('other://{x}', { list: () => [{ uri: 'other://1', size: 'big' }] as never }, () => '')
  await using client = await connect(server)

  const uris = (await client.listResources()).resources.map(({ uri }) => uri)
  expect(uris).toEqual(['notes://index', 'notes://good'])
  const [days, others] = faults.map(({ message }) => message).sort()
  expect(days).toMatch(/"notes:\/\/\{day\}" gave 5 items .*: uri: /)
  expect(others).toMatch(/"other:\/\/\{x\}" gave an item .*: size: /)
})

requirement('mcpserver:resources:reader-finds-nothing', async ({ connect, isModern }) => {
  const { server } = createServer()
  server.resource('notes://{id}', ({ id }) => (id === '1' ? 'one' : undefined))
  server.resource('notes://gone', () => null)
  server.resource('notes://empty', () => ({ contents: [] }))
  await using client = await connect(server)

  for (const uri of ['notes://2', 'notes://gone', 'notes://empty']) {
    expect(await refusalOf(client.readResource(uri))).toMatchObject(notFound(isModern, uri))
  }
  expect((await client.readResource('notes://1')).contents).toMatchObject([{ text: 'one' }])
})

requirement('resources:read:paths', async ({ connect, isModern }) => {
  const { server } = createServer()
  const read = vi.fn(() => 'read')
  server.resource('files:///{+path}', read)
  await using client = await connect(server)

  for (const path of ['../secret', 'a/../../secret', '%2e%2e%2fsecret', '..%5csecret']) {
    const uri = `files:///${path}`
    expect(await refusalOf(client.readResource(uri)), uri).toMatchObject(notFound(isModern, uri))
  }
  expect(read).not.toHaveBeenCalled()
  await client.readResource('files:///a/../b')
  expect(read).toHaveBeenCalledOnce()
})

requirement('fault:F199:traversal-in-any-variable', async ({ connect, isModern }) => {
  const { server } = createServer()
  const read = vi.fn(() => 'read')
  server.resource('files:///{name}', read)
  server.resource('parts:///{/segments*}', read)
  server.resource('query:///x{?file}', read)
  await using client = await connect(server)

  for (const uri of ['files:///..%2fsecret', 'files:///..', 'parts:////../b', 'query:///x?file=..%2Fsecret']) {
    expect(await refusalOf(client.readResource(uri)), uri).toMatchObject(notFound(isModern, uri))
  }
  expect(read).not.toHaveBeenCalled()
})

requirement('fault:F200:bad-percent-encoding', async ({ connect, isModern }) => {
  const { server, faults } = createServer()
  const read = vi.fn(() => 'read')
  server.resource('files:///{+path}', read)
  await using client = await connect(server)

  for (const path of ['%ff', '%zz', '%', '%c3%28', 'a%00']) {
    const uri = `files:///${path}`
    expect(await refusalOf(client.readResource(uri)), uri).toMatchObject(notFound(isModern, uri))
  }
  expect(read).not.toHaveBeenCalled()
  expect(faults).toEqual([])
})

requirement('mcpserver:resources:decoded-once', async ({ connect }) => {
  const { server } = createServer()
  server.resource('files:///{+path}', ({ path }) => path)
  await using client = await connect(server)

  const { contents } = await client.readResource('files:///%252e%252e%252fsecret')
  expect(contents).toMatchObject([{ text: '%2e%2e%2fsecret' }])
})

requirement('mcpserver:resources:allow-traversal', async ({ connect }) => {
  const { server } = createServer()
  server.resource('calc:///{+expression}', { allowTraversal: true }, ({ expression }) => expression)
  await using client = await connect(server)

  expect((await client.readResource('calc:///../1')).contents).toMatchObject([{ text: '../1' }])
})

requirement('mcpserver:resources:reader-fails', async ({ connect }) => {
  const { server, faults } = createServer()
  server.resource('notes://locked', () => {
    throw new MCPError(-1, 'Locked')
  })
  server.resource('notes://broken', () => Promise.reject(new Error('hunter2')))
  await using client = await connect(server)

  expect(await refusalOf(client.readResource('notes://locked'))).toMatchObject({ code: -1, message: 'Locked' })
  const refusal = await refusalOf(client.readResource('notes://broken'))
  expect(refusal).toMatchObject({ code: -32603 })
  expect(JSON.stringify(refusal.toErrorData())).not.toContain('hunter2')
  expect(faults).toMatchObject([{ kind: 'handler-failed' }])
})

requirement('mcpserver:resources:asks', async ({ connect }) => {
  const { server } = createServer()
  server.resource('vault://{room}', async ({ room }, ctx) => {
    const answer = await ctx.elicit('Who?', NAME_FORM)
    return answer.action === 'accept' ? `${room}: ${answer.content.name}` : undefined
  })
  await using client = await connect(server, { onElicitation: () => ({ action: 'accept', content: { name: 'Ada' } }) })

  expect((await client.readResource('vault://gold')).contents).toMatchObject([{ text: 'gold: Ada' }])
})

requirement('mcpserver:resources:as-values', async ({ connect }) => {
  const { server } = createServer({ resources: [resource('notes://today', {}, () => 'today')] })
  server.resource({ uriTemplate: 'files:///{+path}', read: ({ path }) => `file ${path}` })
  await using client = await connect(server)

  expect((await client.readResource('notes://today')).contents).toMatchObject([{ text: 'today' }])
  expect((await client.readResource('files:///x/y')).contents).toMatchObject([{ text: 'file x/y' }])
})

requirement('mcpserver:resources:registration-refuses', async ({ connect }) => {
  const { server } = createServer()
  server.resource('notes://good', () => '')
  expect(() => server.resource('today', () => '')).toThrow(RangeError)
  expect(() => server.resource('notes://{', () => '')).toThrow(/template/i)
  expect(() => server.resource('notes://x', {}, undefined as never)).toThrow(TypeError)
  expect(() => server.resource('notes://x', { list: () => [] }, () => '')).toThrow(/not a template/)
  expect(() => server.resource('notes://{x}', { size: 1 }, () => '')).toThrow(/size/)
  expect(() => server.resource('notes://{x}', { complete: { y: () => [] } }, () => '')).toThrow(/no variable "y"/)
  expect(() => server.resource('notes/{x}', () => '')).toThrow(/Use a template of absolute uris/)
  const priority = { annotations: { priority: 7 } }
  expect(() => server.resource('notes://x', priority, () => '')).toThrow(
    /"notes:\/\/x" .*annotations\.priority: expected/,
  )
  expect(() => server.resource('notes://{x}', priority, () => '')).toThrow(/annotations\.priority: expected/)
  for (const size of [-1, 1.5])
    expect(() => server.resource('notes://x', { size }, () => '')).toThrow(/size of resource/)
  await using client = await connect(server)

  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['notes://good'])
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { internalsOf } from '../../../../src/client/session/internals.ts'
import { InvalidResultError } from '../../../../src/types/errors/failures.ts'
import { eras, type OpenSession, openHandshake, openModern } from '../../../support/sessions.ts'

const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const counter = { name: 'count', inputSchema: { type: 'object' }, outputSchema }
const plain = { name: 'plain', inputSchema: { type: 'object' } }
const regional = {
  name: 'regional',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
}
const broken = {
  name: 'broken',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'a b' } } },
}

const structured = (structuredContent: unknown) => ({ resultType: 'complete', content: [], structuredContent })

afterEach(() => {
  vi.useRealTimers()
})

describe.each(eras)('structured results ($era)', ({ open }) => {
  const openListed = async (): Promise<OpenSession> => {
    const connection = await open()
    connection.server.on('tools/list', { tools: [counter, plain] })
    await connection.session.listTools()
    return connection
  }

  it('C-TOOL-01 that fit the output schema pass', async () => {
    await using connection = await openListed()
    connection.server.on('tools/call', structured({ n: 1 }))
    await expect(connection.session.callTool('count')).resolves.toMatchObject({ structuredContent: { n: 1 } })
  })

  it.each([
    ['does not fit', structured({ n: 'one' }), 'n: expected number, got string'],
    ['is missing', { resultType: 'complete', content: [] }, 'is missing'],
  ])('that %s is an InvalidResultError', async (_what, result, message) => {
    await using connection = await openListed()
    connection.server.on('tools/call', result)
    const failure = await connection.session.callTool('count').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(InvalidResultError)
    expect((failure as Error).message).toContain(message)
    expect(failure).toMatchObject({ path: 'structuredContent' })
  })

  it('C-TOOL-03 of a tool that failed are not checked', async () => {
    await using connection = await openListed()
    connection.server.on('tools/call', { resultType: 'complete', content: [], isError: true })
    await expect(connection.session.callTool('count')).resolves.toMatchObject({ isError: true })
  })

  it('of a tool without an output schema are taken as they are', async () => {
    await using connection = await openListed()
    connection.server.on('tools/call', structured({ anything: true }))
    await expect(connection.session.callTool('plain')).resolves.toMatchObject({ structuredContent: { anything: true } })
  })

  it('of a tool that was never listed make it be looked up, once and on all pages', async () => {
    await using connection = await open()
    const { session, server } = connection
    server.on('tools/list', ({ cursor }) =>
      cursor === undefined ? { tools: [plain], nextCursor: 'more' } : { tools: [counter] },
    )
    server.on('tools/call', structured({ n: 'one' }))
    await expect(session.callTool('count')).rejects.toBeInstanceOf(InvalidResultError)
    await expect(session.callTool('count')).rejects.toBeInstanceOf(InvalidResultError)
    expect(server.received('tools/list')).toHaveLength(2)
    await Promise.all([session.callTool('ghost'), session.callTool('ghost')])
    await session.callTool('ghost')
    expect(server.received('tools/list')).toHaveLength(4)
  })

  it('that lack structured content are found by listing a tool that was never listed, once for all who ask', async () => {
    await using connection = await open()
    const { session, server } = connection
    server.on('tools/list', { tools: [counter, plain] })
    server.on('tools/call', { resultType: 'complete', content: [] })
    const outcomes = await Promise.allSettled([
      session.callTool('count'),
      session.validateToolResult('count', { content: [] }),
      session.callTool('plain'),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    expect(outcomes[0]).toMatchObject({ reason: { name: 'InvalidResultError', path: 'structuredContent' } })
    await session.callTool('plain')
    await expect(session.callTool('count')).rejects.toThrow('is missing')
    expect(server.received('tools/list')).toHaveLength(1)
  })

  it('that failed cost no listing', async () => {
    await using connection = await open()
    connection.server.on('tools/call', { resultType: 'complete', content: [], isError: true })
    await connection.session.callTool('count')
    expect(connection.server.received('tools/list')).toEqual([])
  })

  it('are kept, and the fault is reported, when the tools cannot be listed', async () => {
    await using connection = await open()
    connection.server.on('tools/call', structured({ n: 1 }))
    await expect(connection.session.callTool('count')).resolves.toMatchObject({ structuredContent: { n: 1 } })
    expect(connection.faults).toEqual([expect.objectContaining({ method: 'tools/list' })])
  })

  it.each([
    ['10 s', {}, 10_000],
    ['timeoutMs of the call', { timeoutMs: 3_000 }, 3_000],
    ['maxTotalMs of the call', { maxTotalMs: 2_000 }, 2_000],
  ])('are kept, and the fault is reported, when tools/list is not answered within %s', async (_name, options, ms) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    await using connection = await open()
    const { session, server, faults } = connection
    server.on('tools/call', structured({ n: 'unchecked' })).on('tools/list', () => undefined)
    let result: unknown
    void session.callTool('count', {}, options).then((value) => {
      result = value
    })
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(server.received('tools/list')).toHaveLength(1)
    expect(result).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(result).toMatchObject({ structuredContent: { n: 'unchecked' } })
    const message = 'A structured result was not checked because tools/list was not answered in time.'
    expect(faults).toEqual([expect.objectContaining({ kind: 'callback-failed', method: 'tools/list', message })])
  })

  it('are given up with the reason of the caller, who stops waiting while tools/list is not answered', async () => {
    await using connection = await open()
    const { session, server } = connection
    const stop = new AbortController()
    server.on('tools/call', structured({ n: 1 })).on('tools/list', () => {
      queueMicrotask(() => stop.abort(new Error('enough')))
      return undefined
    })
    await expect(session.callTool('count', {}, { signal: stop.signal })).rejects.toThrow('enough')
  })

  it('that are checked by hand are not taken as right when tools/list is not answered in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    await using connection = await open()
    connection.server.on('tools/list', () => undefined)
    const checked = connection.session.validateToolResult('count', { content: [] }, { timeoutMs: 5_000 })
    const failure = checked.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await failure).toMatchObject({ code: -32001, local: true })
  })

  it('can be checked by hand', async () => {
    await using connection = await openListed()
    const { session } = connection
    await expect(session.validateToolResult('count', { content: [] })).rejects.toBeInstanceOf(InvalidResultError)
    await expect(session.validateToolResult('count', { content: [], structuredContent: { n: 1 } })).resolves.toBe(
      undefined,
    )
  })

  it('of a tool that a complete listing no longer names are not held against its old schema', async () => {
    await using connection = await openListed()
    const { session, server } = connection
    server.on('tools/list', { tools: [plain] })
    await session.listTools()
    server.on('tools/call', { resultType: 'complete', content: [] })
    await expect(session.callTool('count')).resolves.toMatchObject({ content: [] })
  })
})

it('C-TOOL-04 structured content may be null in the modern era', async () => {
  await using open = await openModern()
  open.server.on('tools/list', { tools: [{ ...counter, outputSchema: { type: 'null' } }] })
  await open.session.listTools()
  open.server.on('tools/call', structured(null))
  await expect(open.session.callTool('count')).resolves.toMatchObject({ structuredContent: null })
})

it('a revision without output schemas checks none', async () => {
  await using open = await openHandshake({}, '2025-03-26')
  open.server.on('tools/list', { tools: [counter] }).on('tools/call', { content: [] })
  await open.session.listTools()
  await expect(open.session.callTool('count')).resolves.toEqual({ content: [] })
})

it('a server that declares no tools is not asked for a listing', async () => {
  await using open = await openModern()
  open.session.adopt({ supportedVersions: ['2026-07-28'], capabilities: {} })
  open.server.on('tools/call', structured({ n: 'one' }))
  await open.session.callTool('count')
  expect(open.server.received('tools/list')).toEqual([])
})

describe('header annotations', () => {
  it('C-HDR-02 that are broken cost the tool its place in a modern listing, with a fault that says why', async () => {
    await using open = await openModern()
    open.server.on('tools/list', { tools: [broken, plain] })
    const { tools } = await open.session.listTools()
    expect(tools).toEqual([plain])
    expect(open.faults).toEqual([expect.objectContaining({ kind: 'invalid-message' })])
    expect(open.faults[0]?.message).toMatch(/"broken".*x-mcp-header at "region"/)
  })

  it('C-HDR-01 are followed once the tool is known, and not before', async () => {
    await using open = await openModern()
    const { session, server } = open
    server.on('tools/list', { tools: [regional] }).on('tools/call', { resultType: 'complete', content: [] })
    await session.callTool('regional', { region: 'eu', other: 'x' })
    await session.listTools()
    await session.callTool('regional', { region: 'eu', other: 'x' })
    await session.callTool('regional', { region: null })
    expect([0, 1, 2].map((index) => server.headersOf('tools/call', index)?.['Mcp-Param-Region'])).toEqual([
      undefined,
      'eu',
      undefined,
    ])
    expect(Object.keys(server.headersOf('tools/call', 1) ?? {}).sort()).toEqual([
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
      'Mcp-Param-Region',
    ])
  })

  it('are learned from a listing that came from elsewhere', async () => {
    await using open = await openModern()
    const listing = internalsOf(open.session).learnTools({ tools: [regional, broken] as never }, true)
    expect(listing.tools).toEqual([regional])
    open.server.on('tools/call', { resultType: 'complete', content: [] })
    await open.session.callTool('regional', { region: 'eu' })
    expect(open.server.headersOf('tools/call')).toMatchObject({ 'Mcp-Param-Region': 'eu' })
  })
})

describe('a header mismatch', () => {
  const mismatch = { error: { code: -32020, message: 'Header mismatch' } }

  it('C-HDR-17 makes the tools be listed anew and the call be repeated with the right headers', async () => {
    await using open = await openModern()
    const { session, server } = open
    server.on('tools/list', { tools: [regional] })
    server.on('tools/call', () =>
      server.headersOf('tools/call', server.received('tools/call').length - 1)?.['Mcp-Param-Region'] === 'eu'
        ? { resultType: 'complete', content: [] }
        : mismatch,
    )
    await session.callTool('regional', { region: 'eu' }, { requestId: 'mine' })
    const ids = server.received('tools/call').map(({ id }) => id)
    expect(ids).toHaveLength(2)
    expect(ids[0]).toBe('mine')
    expect(ids[1]).not.toBe('mine')
    expect(server.received('tools/list')).toHaveLength(1)
  })

  it('F218 for ever ends after one listing and one repeat', async () => {
    await using open = await openModern()
    open.server.on('tools/list', { tools: [regional] }).on('tools/call', mismatch)
    await expect(open.session.callTool('regional', { region: 'eu' })).rejects.toMatchObject({ code: -32020 })
    expect(open.server.received('tools/list')).toHaveLength(1)
    expect(open.server.received('tools/call')).toHaveLength(2)
  })

  it('is the error when the tools cannot be listed, and the call is not repeated', async () => {
    await using open = await openModern()
    open.server.on('tools/call', mismatch)
    await expect(open.session.callTool('regional')).rejects.toMatchObject({ code: -32020 })
    expect(open.server.received('tools/call')).toHaveLength(1)
  })

  it('is forgotten when the caller gives up while the tools are listed', async () => {
    await using open = await openModern()
    const controller = new AbortController()
    open.server.on('tools/call', mismatch).on('tools/list', () => {
      controller.abort(new Error('enough'))
      return undefined
    })
    await expect(open.session.callTool('regional', {}, { signal: controller.signal })).rejects.toThrow('enough')
    expect(open.server.received('tools/call')).toHaveLength(1)
  })

  it('I8 is the only error after which a call is repeated, and in the modern era only', async () => {
    await using handshake = await openHandshake()
    handshake.server.on('tools/list', { tools: [] }).on('tools/call', mismatch)
    await expect(handshake.session.callTool('x')).rejects.toMatchObject({ code: -32020 })
    expect(handshake.server.received('tools/call')).toHaveLength(1)
    for (const code of [-32603, -32602, -32021, -32022, -32000]) {
      await using modern = await openModern()
      modern.server.on('tools/list', { tools: [] }).on('tools/call', { error: { code, message: 'no' } })
      await expect(modern.session.callTool('x')).rejects.toMatchObject({ code })
      expect(modern.server.received('tools/call')).toHaveLength(1)
    }
  })
})

// Several servers of one kind in a group: labels, conflicts, owners of resources, and servers from a configuration.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ClientSessionGroup } from '../../../../src/client/group/session-group.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../../../../src/node/http/to-node-handler.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import { ConnectError } from '../../../../src/types/errors/failures.ts'
import { createFolder } from '../../node/files/temporary-folder.ts'

const modes = ['auto', 'legacy'] as const

function fileServer(name: string, uris: readonly string[], toolName = 'look'): MCPServer {
  const server = new MCPServer(name, { version: '1' })
  server.tool(toolName, {}, () => `${name} looked`)
  for (const uri of uris) server.resource(uri, { name: `${name} ${uri}` }, () => `${name}: ${uri}`)
  return server
}

async function textOf(group: ClientSessionGroup, uri: string): Promise<unknown> {
  const { contents } = await group.readResource(uri)
  return (contents[0] as { text?: string }).text
}

function createGroup(options: ConstructorParameters<typeof ClientSessionGroup>[0] = {}) {
  const faults: Fault[] = []
  const group = new ClientSessionGroup({ onFault: (fault) => faults.push(fault), ...options })
  return { group, faults }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(modes)('labels (%s)', (mode) => {
  it('tell two instances of one server apart', async () => {
    const { group } = createGroup({ componentName: (name, { label }) => `${label}_${name}` })
    await using _group = group
    await group.connectToServer(fileServer('notes', []), { mode, name: 'work' })
    await group.connectToServer(fileServer('notes', []), { mode, name: 'home' })
    expect([...group.tools.keys()]).toEqual(['work_look', 'home_look'])
    expect(await group.callTool('home_look')).toMatchObject({ content: [{ text: 'notes looked' }] })
  })

  it('an async componentName is reported, and what it rejects with does not end the process', async () => {
    const componentName = (async () => Promise.reject(new Error('no names'))) as never
    const { group, faults } = createGroup({ componentName })
    await using _group = group
    await group.connectToServer(fileServer('notes', []), { mode })
    expect(group.tools.size).toBe(0)
    const errors = faults.map(({ error }) => String(error))
    expect(errors).toContain(
      'TypeError: componentName returned a promise. Return a string; the function must not be async.',
    )
  })

  it('come from the server if none is given, with a number if that is taken, and are free again later', async () => {
    const seen: string[] = []
    const { group } = createGroup({
      componentName: (name, { label, serverInfo }) => {
        seen.push(`${label} of ${serverInfo.name}`)
        return `${label}_${name}`
      },
    })
    await using _group = group
    const first = await group.connectToServer(fileServer('notes', []), { mode })
    await group.connectToServer(fileServer('notes', []), { mode })
    expect([...group.tools.keys()]).toEqual(['notes_look', 'notes-2_look'])
    await group.disconnectFromServer(first)
    await group.connectToServer(fileServer('notes', []), { mode })
    expect([...group.tools.keys()]).toEqual(['notes-2_look', 'notes_look'])
    expect(new Set(seen)).toEqual(new Set(['notes of notes', 'notes-2 of notes']))
  })

  it('that are given twice are rejected, and the group is unchanged', async () => {
    const { group } = createGroup()
    await using _group = group
    await group.connectToServer(fileServer('a', [], 'one'), { mode, name: 'same' })
    const second = group.connectToServer(fileServer('b', [], 'two'), { mode, name: 'same' })
    await expect(second).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("'same'") })
    expect(group.sessions).toHaveLength(1)
  })
})

describe('the error for a taken name advises the next step', () => {
  const conflict = async (options: ConstructorParameters<typeof ClientSessionGroup>[0], name?: string) => {
    const { group } = createGroup(options)
    await using _group = group
    await group.connectToServer(fileServer('a', []), { name: 'first' })
    const failure = await group
      .connectToServer(fileServer('b', []), name === undefined ? {} : { name })
      .catch((error: Error) => error)
    return (failure as Error).message
  }

  it('componentName, where there is none', async () => {
    expect(await conflict({})).toContain(`componentName: (name, { label }) => \`\${label}_\${name}\``)
  })

  it('a label, where componentName does not tell the servers apart', async () => {
    const message = await conflict({ componentName: (name) => name })
    expect(message).toContain('connectToServer(target, { name })')
  })

  it('the use of the label, where there is one', async () => {
    const message = await conflict({ componentName: (name) => name }, 'second')
    expect(message).toContain('make it depend on label')
    expect(message).toContain("of server 'second' already exists in group tools (server 'first')")
  })
})

describe.each(modes)('the owner of a resource (%s)', (mode) => {
  it('stays the one that listed it first, whatever lists change, and a conflict is reported', async () => {
    const { group, faults } = createGroup({ componentName: (name, { label }) => `${label}_${name}` })
    await using _group = group
    const first = fileServer('first', ['x:1'])
    const second = fileServer('second', ['x:9'])
    await group.connectToServer(first, { mode })
    await group.connectToServer(second, { mode })

    // The later server lists the URI of the earlier one, and then the earlier one's list changes: twice.
    second.resource('x:1', { name: 'mine' }, () => 'second: x:1')
    await vi.waitFor(() => expect(group.resources.has('second_mine')).toBe(true))
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining("'x:1'")])
    expect(faults[0]?.message).toContain("The server 'second'")
    for (const round of ['x:2', 'x:3']) {
      first.resource(round, () => round)
      await vi.waitFor(() => expect(group.resources.has(`first_${round}`)).toBe(true))
      expect(await textOf(group, 'x:1')).toBe('first: x:1')
    }
    expect(faults).toHaveLength(1)
  })

  it('is the next one when the first no longer has it', async () => {
    const { group } = createGroup({ componentName: (name, { label }) => `${label}_${name}` })
    await using _group = group
    const session = await group.connectToServer(fileServer('first', ['x:1']), { mode })
    await group.connectToServer(fileServer('second', ['x:1']), { mode })
    expect(await textOf(group, 'x:1')).toBe('first: x:1')
    await group.disconnectFromServer(session)
    expect(await textOf(group, 'x:1')).toBe('second: x:1')
  })
})

describe.each(modes)('resources by their names in the group (%s)', (mode) => {
  it('are read by the key of resources where no server lists such a URI', async () => {
    const { group } = createGroup({ componentName: (name, { label }) => `${label}.${name}` })
    await using _group = group
    await group.connectToServer(fileServer('files', ['x:1']), { mode, name: 'a' })
    await group.connectToServer(fileServer('other', ['x:1']), { mode, name: 'b' })
    const read = []
    for (const key of group.resources.keys()) read.push([key, await textOf(group, key)])
    expect(read).toEqual([
      [expect.stringMatching(/^a\./), 'files: x:1'],
      [expect.stringMatching(/^b\./), 'other: x:1'],
    ])
    expect(await textOf(group, 'x:1')).toBe('files: x:1')
  })

  it('go to the first that joined, of several with a template for the URI', async () => {
    const { group } = createGroup({ componentName: (name, { label }) => `${label}.${name}` })
    await using _group = group
    for (const name of ['first', 'second']) {
      const server = new MCPServer(name)
      server.resource('greeting://{name}', { name: 'greeting' }, () => name)
      await group.connectToServer(server, { mode, name })
    }
    expect(await textOf(group, 'greeting://ada')).toBe('first')
  })
})

describe.each(modes)('resource templates (%s)', (mode) => {
  it('are in the group, and a URI that no server lists is read from a server with a matching template', async () => {
    const { group, faults } = createGroup()
    await using _group = group
    const server = new MCPServer('greeter')
    server.resource('greeting://{name}', { name: 'greeting' }, ({ name }) => `Hello, ${String(name)}!`)
    await group.connectToServer(server, { mode })
    await group.connectToServer(fileServer('files', ['x:1']), { mode })
    expect(group.resourceTemplates.get('greeting')?.uriTemplate).toBe('greeting://{name}')
    expect(await textOf(group, 'greeting://ada')).toBe('Hello, ada!')
    expect(await textOf(group, 'x:1')).toBe('files: x:1')
    await expect(group.readResource('y:1')).rejects.toMatchObject({ code: -32602 })
    server.resource('bye://{name}', { name: 'bye' }, () => 'Bye')
    await vi.waitFor(() => expect(group.resourceTemplates.has('bye')).toBe(true))
    expect(faults).toEqual([])
  })
})

describe('a legacy session that was opened elsewhere', () => {
  it('is followed like any other', async () => {
    const { connect } = await import('../../../../src/testing/connect.ts')
    const server = fileServer('notes', [])
    await using client = await connect(server, { mode: 'legacy' })
    const { group } = createGroup()
    await using _group = group
    await group.connectWithSession({ name: 'notes', version: '1' }, client.session, { name: 'mine' })
    server.tool('new', {}, () => 'new')
    await vi.waitFor(() => expect(group.tools.has('new')).toBe(true))
  })
})

describe('ClientSessionGroup.open', () => {
  const label = { componentName: (name: string, server: { label: string }) => `${server.label}_${name}` }
  const script = `
    import { createInterface } from 'node:readline'
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method } = JSON.parse(line)
      const cache = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
      const results = {
        'server/discover': { ...cache, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
        'tools/list': { ...cache, tools: [{ name: process.env.TOOL, inputSchema: { type: 'object' } }] },
      }
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }))
    }`
  const command = { command: process.execPath, args: ['--input-type=module', '-e', script], env: { TOOL: 'look' } }

  async function served() {
    const seen: unknown[] = []
    const handle = toNodeHandler(createHandler(fileServer('remote', [])))
    const front = createServer((request, response) => {
      seen.push(request.headers['x-team'])
      handle(request, response)
    })
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      front.closeAllConnections()
      front.close()
    })
    return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`, seen }
  }

  it('connects the servers of an mcpServers object, by their names there', async () => {
    const remote = await served()
    const mcpServers = { here: command, there: { url: remote.url, headers: { 'X-Team': 'blue' } } }
    await using group = await ClientSessionGroup.open({ mcpServers }, label)
    expect([...group.tools.keys()].sort()).toEqual(['here_look', 'there_look'])
    expect(new Set(remote.seen)).toEqual(new Set(['blue']))
  })

  it('reads them from a file', async () => {
    await using folder = await createFolder()
    const path = await folder.write('servers.json', JSON.stringify({ mcpServers: { here: command } }))
    await using group = await ClientSessionGroup.open(path, label)
    expect([...group.tools.keys()]).toEqual(['here_look'])
    await expect(ClientSessionGroup.open(`${path}.none`)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(ClientSessionGroup.open(await folder.write('bad.json', '{'))).rejects.toThrow(
      /bad\.json is not valid JSON/,
    )
    const large = await folder.write('large.json', ' '.repeat(1024 * 1024 + 1))
    await expect(ClientSessionGroup.open(large)).rejects.toMatchObject({ limit: 'file bytes' })
  })

  it('reports foreign keys as a configuration-warning, never as an error', async () => {
    const faults: Fault[] = []
    const entry = { ...command, type: 'stdio', timeout: 5, autoApprove: [], disabled: false }
    const off = { command: 'mcpwire-no-such-command', disabled: true }
    await using group = await ClientSessionGroup.open(
      { mcpServers: { here: entry, off } },
      { ...label, onFault: (fault) => faults.push(fault) },
    )
    expect([...group.tools.keys()]).toEqual(['here_look'])
    expect(faults.map(({ kind }) => kind)).toEqual(['configuration-warning', 'configuration-warning'])
    expect(faults[0]?.message).toMatch(/the server 'here' has 'timeout', 'autoApprove', 'disabled'/)
    expect(faults[1]?.message).toMatch(/'off' is disabled/)
  })

  it('fails as a whole with ConnectError, unless onFault is given', async () => {
    const mcpServers = { here: command, broken: { command: 'mcpwire-no-such-command' } }
    await expect(ClientSessionGroup.open({ mcpServers })).rejects.toBeInstanceOf(ConnectError)
    const faults: Fault[] = []
    await using group = await ClientSessionGroup.open({ mcpServers }, { onFault: (fault) => faults.push(fault) })
    expect([...group.tools.keys()]).toEqual(['look'])
    expect(faults).toMatchObject([{ kind: 'transport', error: expect.any(ConnectError) }])
    const none = { mcpServers: { broken: mcpServers.broken } }
    await expect(ClientSessionGroup.open(none, { onFault() {} })).rejects.toBeInstanceOf(ConnectError)
  })

  it('passes options on to every client', async () => {
    const onFault = vi.fn()
    await using group = await ClientSessionGroup.open({ here: command }, { client: { mode: 'modern' }, onFault })
    expect(group.sessions[0]?.protocolVersion).toBe('2026-07-28')
  })

  it.each([
    ['no object', 7],
    ['an entry that is no object', { mcpServers: { a: 'node' } }],
    ['an entry without command or url', { mcpServers: { a: {} } }],
    ['an entry with both', { mcpServers: { a: { command: 'node', url: 'http://127.0.0.1/mcp' } } }],
    ['args that are no strings', { mcpServers: { a: { command: 'node', args: [1] } } }],
    ['headers that are no strings', { mcpServers: { a: { url: 'http://127.0.0.1/mcp', headers: { a: 1 } } } }],
    ['a type of another kind', { mcpServers: { a: { url: 'http://127.0.0.1/mcp', type: 'ws' } } }],
  ])('refuses %s before anything is started', async (_what, source) => {
    await expect(ClientSessionGroup.open(source as never)).rejects.toThrow(TypeError)
  })
})

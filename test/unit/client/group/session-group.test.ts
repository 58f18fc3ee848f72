// A group of servers.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { RepeatedTask } from '../../../../src/client/group/member.ts'
import type { ClientSessionGroupOptions } from '../../../../src/client/group/options.ts'
import { ClientSessionGroup } from '../../../../src/client/group/session-group.ts'
import { ClientSession } from '../../../../src/client/session/session.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { settle } from '../../../support/peers.ts'
import { cacheable, listOf, type Script, ScriptedServer, text } from '../session/scripted-server.ts'

const resource = (name: string): JSONObject => ({ name, uri: `file:///${name}` })
const prompt = (name: string): JSONObject => ({ name })

/** A server that has one tool, resource and prompt of each name. */
function serverWith(names: string[], script: Script = {}, name = 'scripted') {
  const server = new ScriptedServer(
    {
      'tools/list': () => listOf(...names),
      'resources/list': () => cacheable({ resources: names.map(resource) }),
      'prompts/list': () => cacheable({ prompts: names.map(prompt) }),
      'tools/call': (params) => text(`${name} called ${String(params['name'])}`),
      'resources/read': ({ uri }) => cacheable({ contents: [{ uri, text: name }] }),
      'prompts/get': (params) => ({
        resultType: 'complete',
        messages: [],
        description: `${name} ${String(params['name'])}`,
      }),
      ...script,
    },
    { name },
  )
  return server
}

function createGroup(options: ClientSessionGroupOptions = {}) {
  const faults: Fault[] = []
  return { group: new ClientSessionGroup({ onFault: (fault) => faults.push(fault), ...options }), faults }
}

const byServer: ClientSessionGroupOptions = { componentName: (name, { serverInfo }) => `${serverInfo.name}.${name}` }

afterEach(() => {
  vi.useRealTimers()
})

describe.each(['auto', 'legacy'] as const)('in mode %s', (mode) => {
  it('has the components of its servers, and sends each call to the server that has the component', async () => {
    const { group } = createGroup()
    await using _group = group
    await group.connectToServer(serverWith(['a'], {}, 'one'), { mode })
    const session = await group.connectToServer(serverWith(['b'], {}, 'two'), { mode })
    expect(session).toBeInstanceOf(ClientSession)
    expect(group.sessions).toHaveLength(2)
    expect([...group.tools.keys()]).toEqual(['a', 'b'])
    expect([...group.resources.keys()]).toEqual(['a', 'b'])
    expect([...group.prompts.keys()]).toEqual(['a', 'b'])
    expect((await group.callTool('b')).content).toEqual([{ type: 'text', text: 'two called b' }])
    expect((await group.readResource('file:///a')).contents).toMatchObject([{ text: 'one' }])
    expect((await group.getPrompt('b', {})).description).toBe('two b')
  })

  it('gives names of its own, which the servers never get', async () => {
    const { group } = createGroup(byServer)
    await using _group = group
    const server = serverWith(['a'], {}, 'one')
    await group.connectToServer(server, { mode })
    await group.connectToServer(serverWith(['a'], {}, 'two'), { mode })
    expect([...group.tools.keys()]).toEqual(['one.a', 'two.a'])
    expect(group.tools.get('one.a')?.name).toBe('a')
    await group.callTool('one.a', { x: 1 })
    expect(server.calls.at(-1)!.params).toMatchObject({ name: 'a', arguments: { x: 1 } })
    await group.getPrompt('one.a')
    expect(server.calls.at(-1)!.params).toMatchObject({ name: 'a' })
  })

  it('has all pages', async () => {
    const { group } = createGroup()
    await using _group = group
    const paged: Script = {
      'tools/list': ({ cursor }) => (cursor === undefined ? { ...listOf('a'), nextCursor: '2' } : listOf('b')),
    }
    await group.connectToServer(serverWith([], paged), { mode })
    expect([...group.tools.keys()]).toEqual(['a', 'b'])
  })

  it('rejects a server with a taken name as a whole', async () => {
    const { group } = createGroup()
    await using _group = group
    await group.connectToServer(serverWith(['a'], {}, 'one'), { mode })
    const second = serverWith(['b'], { 'prompts/list': cacheable({ prompts: [prompt('a')] }) }, 'two')
    await expect(group.connectToServer(second, { mode })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("'a' of server 'two' already exists in group prompts (server 'one')"),
    })
    await second.ended
    expect([...group.tools.keys()]).toEqual(['a'])
    expect(group.sessions).toHaveLength(1)
    expect((await group.callTool('a')).content).toMatchObject([{ text: 'one called a' }])
  })

  it('rejects a server that lists a name twice', async () => {
    const { group } = createGroup()
    await using _group = group
    await expect(group.connectToServer(serverWith(['a', 'a']), { mode })).rejects.toMatchObject({ code: -32602 })
    expect(group.tools.size).toBe(0)
  })

  it('adds a server that cannot list everything, and reports it', async () => {
    const { group, faults } = createGroup()
    await using _group = group
    const half: Script = {
      'tools/list': () => {
        throw new MCPError(-32603, 'broken')
      },
    }
    await group.connectToServer(serverWith(['a'], half), { mode })
    expect([...group.resources.keys()]).toEqual(['a'])
    expect(group.tools.size).toBe(0)
    expect(faults.map(({ message }) => message)).toEqual(["The tools of the server 'scripted' could not be listed"])
  })

  it('does not ask for what a server does not offer', async () => {
    const { group, faults } = createGroup()
    await using _group = group
    const server = new ScriptedServer({ 'tools/list': listOf('a') }, { capabilities: { tools: {} } })
    await group.connectToServer(server, { mode })
    expect([...group.tools.keys()]).toEqual(['a'])
    expect(server.count('resources/list')).toBe(0)
    expect(faults).toEqual([])
  })

  it('removes a server with its components, and closes its connection', async () => {
    const { group } = createGroup()
    await using _group = group
    const server = serverWith(['a'])
    const session = await group.connectToServer(server, { mode })
    await group.connectToServer(serverWith(['b']), { mode })
    await group.disconnectFromServer(session)
    await server.ended
    expect([...group.tools.keys()]).toEqual(['b'])
    expect(group.sessions).toHaveLength(1)
    await expect(group.disconnectFromServer(session)).rejects.toMatchObject({ code: -32602 })
    await expect(group.callTool('a')).rejects.toMatchObject({ code: -32602, local: true })
  })

  it('follows the changes of its servers', async () => {
    const names = ['a']
    const { group } = createGroup()
    await using _group = group
    const onMessage = vi.fn()
    const server = serverWith(names)
    await group.connectToServer(server, { mode, onMessage })
    await settle()
    names.push('new')
    await server.announce('notifications/tools/list_changed')
    await settle()
    expect([...group.tools.keys()]).toEqual(['a', 'new'])
    expect([...group.prompts.keys()]).toEqual(['a'])
    names.shift()
    await server.announce('notifications/prompts/list_changed')
    await server.announce('notifications/resources/list_changed')
    await settle()
    expect([...group.prompts.keys()]).toEqual(['new'])
    expect([...group.resources.keys()]).toEqual(['new'])
    expect(onMessage).toHaveBeenCalledTimes(3)
  })

  it('leaves a name to its owner when another server lists it later, and reports it', async () => {
    const names = ['b']
    const { group, faults } = createGroup()
    await using _group = group
    await group.connectToServer(serverWith(['a'], {}, 'one'), { mode })
    const second = serverWith(names, {}, 'two')
    await group.connectToServer(second, { mode })
    await settle()
    names.push('a', 'c')
    await second.announce('notifications/tools/list_changed')
    await settle()
    expect([...group.tools.keys()]).toEqual(['a', 'b', 'c'])
    expect((await group.callTool('a')).content).toMatchObject([{ text: 'one called a' }])
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining("another server has and keeps: 'a'")])
  })

  it('F102 reads a list once at a time, and once more for all changes meanwhile', async () => {
    const { group } = createGroup()
    await using _group = group
    const gates = [createDeferred(), createDeferred(), createDeferred()]
    let lists = 0
    const slow: Script = {
      'tools/list': async () => {
        lists += 1
        if (lists > 1) await gates[lists - 2]!.promise
        return listOf(`v${lists}`)
      },
    }
    const server = serverWith([], slow)
    await group.connectToServer(server, { mode })
    await settle()
    for (let count = 0; count < 50; count++) {
      await server.announce('notifications/tools/list_changed')
      await settle()
    }
    expect(lists).toBe(2)
    gates[0]!.resolve()
    await settle()
    expect(lists).toBe(3)
    gates[1]!.resolve()
    await settle()
    expect(lists).toBe(3)
    expect([...group.tools.keys()]).toEqual(['v3'])
  })

  it('keeps a list that cannot be read again, and reports it', async () => {
    const { group, faults } = createGroup()
    await using _group = group
    const server = serverWith(['a'])
    await group.connectToServer(server, { mode })
    await settle()
    server.script['tools/list'] = () => {
      throw new MCPError(-32603, 'broken')
    }
    await server.announce('notifications/tools/list_changed')
    await settle()
    expect([...group.tools.keys()]).toEqual(['a'])
    expect(faults).toHaveLength(1)
  })

  it('follows a change that happens during the first listing', async () => {
    const { group } = createGroup()
    await using _group = group
    let lists = 0
    const server: ScriptedServer = serverWith([], {
      'tools/list': async () => {
        lists += 1
        if (lists === 1) await server.announce('notifications/tools/list_changed')
        return listOf(`v${lists}`)
      },
    })
    await group.connectToServer(server, { mode })
    await settle()
    expect([...group.tools.keys()]).toEqual(['v2'])
  })

  it('closes everything that it opened, once, and adds no server after that', async () => {
    const { group } = createGroup()
    const servers = [serverWith(['a']), serverWith(['b'])]
    for (const server of servers) await group.connectToServer(server, { mode })
    await Promise.all([group.close(), group.close()])
    await Promise.all(servers.map((server) => server.ended))
    expect(group.sessions).toEqual([])
    expect(group.tools.size).toBe(0)
    await expect(group.connectToServer(serverWith(['c']), { mode })).rejects.toThrow(/is closed/)
  })

  it('closed while a server is being added, closes that one too', async () => {
    const { group } = createGroup()
    const listing = createDeferred()
    const server = serverWith([], {
      'tools/list': async () => {
        await listing.promise
        return listOf('a')
      },
    })
    const connecting = group.connectToServer(server, { mode })
    const outcome = expect(connecting).rejects.toThrow(/is closed/)
    await settle()
    await group.close()
    listing.resolve()
    await outcome
    await server.ended
  })

  it('adds a session that was opened elsewhere, and leaves it open', async () => {
    const names = ['a']
    const { group } = createGroup(byServer)
    const server = serverWith(names)
    await using client = await Client.connect(server, { mode })
    await group.connectWithSession({ name: 'other', version: '1' }, client.session)
    expect([...group.tools.keys()]).toEqual(['other.a'])
    expect((await group.callTool('other.a')).content).toMatchObject([{ text: 'scripted called a' }])
    expect((await group.readResource('file:///a')).contents).toHaveLength(1)
    expect((await group.getPrompt('other.a')).description).toBe('scripted a')
    await expect(group.connectWithSession({ name: 'x', version: '1' }, client.session)).rejects.toThrow(/already/)
    names.push('b')
    await group.refresh(client.session)
    expect([...group.tools.keys()]).toEqual(['other.a', 'other.b'])
    await group.close()
    expect((await client.listTools()).tools).toHaveLength(2)
  })
})

describe('a group', () => {
  it('does not read cached listings of its own clients', async () => {
    const { group } = createGroup()
    await using _group = group
    let lists = 0
    const server = serverWith([], {
      'tools/list': () => {
        lists += 1
        return { ...listOf(`v${lists}`), ttlMs: 60_000 }
      },
    })
    const session = await group.connectToServer(server)
    await group.refresh(session)
    expect([...group.tools.keys()]).toEqual(['v2'])
  })

  it('asks a pinned server for every kind of component', async () => {
    const { group } = createGroup()
    await using _group = group
    await group.connectToServer(serverWith(['a']), { mode: '2026-07-28' })
    expect([...group.tools.keys()]).toEqual(['a'])
  })

  it('drives calls through input-required rounds', async () => {
    const { group } = createGroup()
    await using _group = group
    const asking: Script = {
      'tools/call': ({ requestState }) =>
        requestState === 'go' ? text('done') : { resultType: 'input_required', requestState: 'go' },
    }
    await group.connectToServer(serverWith(['a'], asking))
    expect((await group.callTool('a')).content).toMatchObject([{ text: 'done' }])
  })

  it('rejects names that no server has, and sessions that are not negotiated or not in the group', async () => {
    const { group } = createGroup()
    await using _group = group
    const refusal = { code: -32602, local: true }
    await expect(group.callTool('__proto__')).rejects.toMatchObject(refusal)
    await expect(group.getPrompt('constructor')).rejects.toMatchObject(refusal)
    await expect(group.readResource('file:///x')).rejects.toMatchObject(refusal)
    const session = new ClientSession(await new ScriptedServer().connectInProcess())
    await expect(group.connectWithSession({ name: 'x', version: '1' }, session)).rejects.toThrow(/negotiated/)
    await expect(group.refresh(session)).rejects.toMatchObject(refusal)
    await expect(group.disconnectFromServer(session)).rejects.toMatchObject(refusal)
  })

  it('F103 listens again after a subscription ended, with a delay, and reads all lists again', async () => {
    vi.useFakeTimers()
    const names = ['a']
    const { group } = createGroup()
    const server = serverWith(names)
    await group.connectToServer(server)
    await vi.advanceTimersByTimeAsync(0)
    expect(server.count('subscriptions/listen')).toBe(1)
    names.push('b')
    server.endSubscriptions()
    await vi.advanceTimersByTimeAsync(499)
    expect(server.count('subscriptions/listen')).toBe(1)
    await vi.advanceTimersByTimeAsync(501)
    expect(server.count('subscriptions/listen')).toBe(2)
    expect([...group.tools.keys()]).toEqual(['a', 'b'])
    await group.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('F103 stops listening after a limited number of attempts, and reports it', async () => {
    vi.useFakeTimers()
    const { group, faults } = createGroup()
    await using _group = group
    const server = serverWith(['a'])
    await group.connectToServer(server)
    // One that lived for a while does not count: they are ended as soon as they are there.
    for (let second = 0; second < 600; second++) {
      server.endSubscriptions()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(server.count('subscriptions/listen')).toBe(8)
    expect(faults).toMatchObject([{ kind: 'notification-failed' }])
  })

  it('does not listen again when the server rejects the subscription', async () => {
    const { group, faults } = createGroup()
    await using _group = group
    const refusing: Script = {
      'subscriptions/listen': () => {
        throw new MCPError(-32601, 'Method not found')
      },
    }
    const server = serverWith(['a'], refusing)
    await group.connectToServer(server)
    await settle()
    expect(server.count('subscriptions/listen')).toBe(1)
    expect(faults).toHaveLength(1)
    expect([...group.tools.keys()]).toEqual(['a'])
  })
})

describe('RepeatedTask', () => {
  it('resolves each request with a run that began after it', async () => {
    const gates = [createDeferred(), createDeferred()]
    let runs = 0
    const task = new RepeatedTask(() => gates[runs++]!.promise)
    const first = task.request()
    const second = task.request()
    expect(task.request()).toBe(second)
    expect(runs).toBe(1)
    gates[0]!.resolve()
    await first
    await settle()
    expect(runs).toBe(2)
    gates[1]!.resolve()
    await second
  })
})

// Many servers as one: what they have together, who is called, and what one of them can do to the others.
import { expect, vi } from 'vitest'
import type { GroupServer } from '../../../src/client/group/options.ts'
import { ClientSession } from '../../../src/client/session/session.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { Server } from '../../../src/server/server.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { requirement } from '../kit/requirement.ts'
import { createGroup, createMember, namesOf, until } from '../kit/support-groups.ts'
import { asks, ROOTS, text, textOf } from '../kit/support-interaction.ts'

requirement('group:join:all-pages-of-all-servers', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group

  await join(createMember(setting, 'one', ['a', 'b', 'c', 'd', 'e']))
  await join(createMember(setting, 'two', ['x', 'y', 'z']))

  expect(namesOf(group.tools)).toEqual(['a', 'b', 'c', 'd', 'e', 'x', 'y', 'z'])
  expect(namesOf(group.resources)).toEqual(namesOf(group.tools).map((name) => `${name}.txt`))
  expect(namesOf(group.prompts)).toEqual(namesOf(group.tools).map((name) => `about ${name}`))
  expect(group.sessions.map(({ protocolVersion }) => protocolVersion)).toEqual([setting.version, setting.version])
})

requirement('group:call:to-whom-it-belongs', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  await join(createMember(setting, 'one', ['a']))
  await join(createMember(setting, 'two', ['b']))

  expect(textOf(await group.callTool('a', { n: 1 }))).toBe('one: a {"n":1}')
  expect(textOf(await group.callTool('b'))).toBe('two: b {}')
  expect(await group.readResource('two:/b')).toMatchObject({ contents: [{ text: 'two has two:/b' }] })
  expect(await group.getPrompt('about a')).toMatchObject({ description: 'one: about a' })
})

requirement('group:call:unknown-name', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  await join(createMember(setting, 'one', ['a']))

  for (const name of ['b', '__proto__', 'constructor', 'toString']) {
    const refused = { code: -32602, local: true }
    await expect(group.callTool(name), name).rejects.toMatchObject(refused)
    await expect(group.getPrompt(name)).rejects.toMatchObject(refused)
    await expect(group.readResource(name)).rejects.toMatchObject(refused)
  }
})

requirement('group:names:given-by-the-group', async (setting) => {
  const componentName = vi.fn((name: string, { serverInfo }: GroupServer) => `${serverInfo.name}/${name}`)
  const { group, join } = createGroup(setting, { componentName })
  await using _closing = group
  await join(createMember(setting, 'one', ['a']))
  await join(createMember(setting, 'two', ['a']))

  expect(namesOf(group.tools)).toEqual(['one/a', 'two/a'])
  expect(group.tools.get('one/a')?.name).toBe('a')
  expect(textOf(await group.callTool('two/a'))).toBe('two: a {}')
  expect(namesOf(group.resources)).toEqual(['one/a.txt', 'two/a.txt'])
  expect(await group.getPrompt('one/about a')).toMatchObject({ description: 'one: about a' })
})

requirement('group:names:prototype-names', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  await join(createMember(setting, 'one', ['__proto__', 'constructor', 'toString']))

  expect(namesOf(group.tools)).toEqual(['__proto__', 'constructor', 'toString'])
  expect(textOf(await group.callTool('__proto__'))).toBe('one: __proto__ {}')
})

requirement('group:join:taken-name-changes-nothing', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  await join(createMember(setting, 'one', ['a', 'b']))
  const ended = createDeferred<void>()
  const late = createMember(setting, 'two', ['c', 'b'], { lifespan: () => ({ close: () => ended.resolve() }) })

  const failure = await join(late).catch((error: unknown) => error)

  expect(failure).toBeInstanceOf(MCPError)
  expect(failure).toMatchObject({ code: -32602, message: expect.stringContaining("'b'") })
  expect(namesOf(group.tools)).toEqual(['a', 'b'])
  expect(namesOf(group.resources)).toEqual(['a.txt', 'b.txt'])
  expect(group.sessions).toHaveLength(1)
  expect(textOf(await group.callTool('b'))).toBe('one: b {}')
  // The connection that was refused is not left open.
  await ended.promise
})

requirement('group:join:all-or-nothing', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  await join(createMember(setting, 'one', ['a']))
  // Nothing is in the way of its tools and resources; only the last of its lists has a name that is taken.
  const late = createMember(setting, 'two', ['b'], {
    handlers: { 'prompts/list': () => ({ prompts: [{ name: 'about b' }, { name: 'about a' }] }) },
  })

  await expect(join(late)).rejects.toMatchObject({ code: -32602 })

  expect(namesOf(group.tools)).toEqual(['a'])
  expect(namesOf(group.resources)).toEqual(['a.txt'])
  expect(namesOf(group.prompts)).toEqual(['about a'])
})

requirement('group:join:failed-connection-changes-nothing', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  await join(createMember(setting, 'one', ['a']))
  const broken = createMember(setting, 'two', ['b'], {
    middleware: [
      () => {
        throw new MCPError(-32603, 'out of order')
      },
    ],
  })

  await expect(join(broken)).rejects.toThrow()
  expect(namesOf(group.tools)).toEqual(['a'])
  expect(group.sessions).toHaveLength(1)
})

requirement('group:join:server-that-cannot-list', async (setting) => {
  const { group, faults, join } = createGroup(setting)
  await using _closing = group
  const broken = createMember(setting, 'one', ['a'], {
    handlers: {
      'tools/list': () => {
        throw new MCPError(-32603, 'out of order')
      },
    },
  })
  await join(broken)
  await join(createMember(setting, 'two', ['b']))

  expect(namesOf(group.tools)).toEqual(['b'])
  expect(namesOf(group.prompts)).toEqual(['about a', 'about b'])
  expect(faults).toMatchObject([{ kind: 'invalid-message', message: expect.stringContaining('tools') }])
})

requirement('group:join:only-what-is-offered', async (setting) => {
  const { group, faults, join } = createGroup(setting)
  await using _closing = group
  const asked: string[] = []
  const server = new Server('tools only', {
    supportedVersions: [setting.version],
    handlers: { 'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }) },
  })
  server.use((ctx, next) => {
    asked.push(ctx.method)
    return next()
  })
  await join(server)

  expect(namesOf(group.tools)).toEqual(['a'])
  expect(asked.filter((method) => method.endsWith('/list'))).toEqual(['tools/list'])
  expect(faults).toEqual([])
})

requirement('group:refresh:follows-list-changes', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  const tools = ['a', 'b', 'c']
  const server = createMember(setting, 'one', tools)
  await join(server)
  await join(createMember(setting, 'two', ['z']))

  tools.splice(0, 2, 'new')
  await server.announce({ type: 'toolsListChanged' })
  await until(() => group.tools.has('new'))
  expect(namesOf(group.tools)).toEqual(['c', 'new', 'z'])
  // Only what was announced is looked at again.
  expect(namesOf(group.prompts)).toEqual(['about a', 'about b', 'about c', 'about z'])

  await server.announce({ type: 'promptsListChanged' })
  await server.announce({ type: 'resourcesListChanged' })
  await until(() => group.prompts.has('about new') && group.resources.has('new.txt'))
  expect(textOf(await group.callTool('new'))).toBe('one: new {}')
})

requirement('fault:F102:list-changed-storm', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  let listings = 0
  let inFlight = 0
  let most = 0
  const held = createDeferred<void>()
  const tools = ['a']
  let isHeld = false
  const server = createMember(setting, 'one', tools, {
    handlers: {
      'tools/list': async () => {
        listings += 1
        inFlight += 1
        most = Math.max(most, inFlight)
        if (isHeld) await held.promise
        inFlight -= 1
        return { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }
      },
      // On a legacy connection these reach the client one by one.
      'tools/call': async ({ session }) => {
        for (let n = 0; n < 1_000; n += 1) await session.sendToolListChanged()
        return text('stormed')
      },
    },
  })
  await join(server)
  listings = 0
  isHeld = true

  await server.announce({ type: 'toolsListChanged' })
  await until(() => listings === 1)
  for (let n = 0; n < 1_000; n += 1) await server.announce({ type: 'toolsListChanged' })
  await group.callTool('a')
  tools.push('last')
  await server.announce({ type: 'toolsListChanged' })
  held.resolve()
  await until(() => group.tools.has('last'))

  expect(most).toBe(1)
  // One in flight, one queued, and at most one more for what was announced while that ran.
  expect(listings).toBeLessThanOrEqual(3)
})

requirement('group:refresh:taken-name-keeps-its-owner', async (setting) => {
  const { group, faults, join } = createGroup(setting)
  await using _closing = group
  const tools = ['a']
  const server = createMember(setting, 'one', tools)
  await join(server)
  await join(createMember(setting, 'two', ['b']))

  tools.push('b', 'c')
  await server.announce({ type: 'toolsListChanged' })
  await until(() => group.tools.has('c'))

  expect(namesOf(group.tools)).toEqual(['a', 'b', 'c'])
  expect(textOf(await group.callTool('b'))).toBe('two: b {}')
  expect(faults).toMatchObject([{ message: expect.stringContaining("'b'") }])
})

requirement('group:refresh:by-hand', async (setting) => {
  const { group } = createGroup(setting)
  await using _closing = group
  const tools = ['a']
  const server = createMember(setting, 'one', tools, { subscriptions: false })
  await using client = await setting.connect(server)
  const session = await group.connectWithSession({ name: 'one', version: '1' }, client.session)

  tools.push('b')
  expect(namesOf(group.tools)).toEqual(['a'])
  await group.refresh(session)

  expect(namesOf(group.tools)).toEqual(['a', 'b'])
  expect(namesOf(group.prompts)).toEqual(['about a', 'about b'])
})

requirement('group:session:is-only-borrowed', async (setting) => {
  const { group } = createGroup(setting)
  await using client = await setting.connect(createMember(setting, 'one', ['a']))

  await group.connectWithSession({ name: 'mine', version: '1' }, client.session)
  expect(textOf(await group.callTool('a'))).toBe('one: a {}')
  await expect(group.connectWithSession({ name: 'mine', version: '1' }, client.session)).rejects.toThrow(/already/)
  await group.close()

  expect(textOf(await client.callTool('a'))).toBe('one: a {}')
})

requirement('group:session:must-be-negotiated', async (setting) => {
  const { group } = createGroup(setting)
  const [here] = createMemoryChannelPair()
  await using session = new ClientSession(here)
  await session.start()

  await expect(group.connectWithSession({ name: 'raw', version: '1' }, session)).rejects.toThrow(/negotiated/)
  expect(group.sessions).toEqual([])
})

requirement('group:leave:takes-all-along', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  const ended = createDeferred<void>()
  const session = await join(
    createMember(setting, 'one', ['a'], { lifespan: () => ({ close: () => ended.resolve() }) }),
  )
  await join(createMember(setting, 'two', ['b']))

  await group.disconnectFromServer(session)
  await ended.promise

  expect(namesOf(group.tools)).toEqual(['b'])
  expect(namesOf(group.resources)).toEqual(['b.txt'])
  expect(namesOf(group.prompts)).toEqual(['about b'])
  await expect(group.callTool('a')).rejects.toMatchObject({ code: -32602 })
  await expect(group.disconnectFromServer(session)).rejects.toMatchObject({ code: -32602 })
  // The name is free again.
  await join(createMember(setting, 'three', ['a']))
  expect(textOf(await group.callTool('a'))).toBe('three: a {}')
})

requirement('group:fault:one-server-dies', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  const dying = createMember(setting, 'one', ['a'])
  const session = await join(dying)
  await join(createMember(setting, 'two', ['b']))

  await session.close()

  await expect(group.callTool('a')).rejects.toMatchObject({ code: -32000, local: true })
  expect(textOf(await group.callTool('b'))).toBe('two: b {}')
})

requirement('group:call:questions-are-answered', async (setting) => {
  const { group, join } = createGroup(setting)
  await using _closing = group
  const member = createMember(setting, 'one', ['a'], {
    handlers: {
      'tools/call': (ctx) => (ctx.inputResponses === undefined ? asks({ where: ROOTS }) : text('done')),
    },
  })
  await join(member, { onListRoots: () => ({ roots: [] }) })

  expect(textOf(await group.callTool('a'))).toBe('done')
})

requirement('group:close:ends-what-it-opened', async (setting) => {
  const { group, join } = createGroup(setting)
  const ended = [createDeferred<void>(), createDeferred<void>()]
  for (const [index, { resolve }] of ended.entries()) {
    await join(createMember(setting, `${index}`, [`tool ${index}`], { lifespan: () => ({ close: resolve }) }))
  }

  await Promise.all([group.close(), group.close()])
  await Promise.all(ended.map(({ promise }) => promise))

  expect(group.sessions).toEqual([])
  expect(group.tools.size).toBe(0)
  await expect(join(createMember(setting, 'late', ['x']))).rejects.toThrow(/closed/)
})

requirement('group:eras:side-by-side', async (setting) => {
  const { group } = createGroup(setting)
  await using _closing = group
  const modern = createMember({ ...setting, version: '2026-07-28' }, 'new', ['a'])
  const older = createMember(setting, 'old', ['b'])
  await group.connectToServer(modern)
  await group.connectToServer(memoryTransport(older), { mode: 'legacy' })

  expect(group.sessions.map(({ protocolVersion }) => protocolVersion)).toEqual(['2026-07-28', setting.version])
  expect(textOf(await group.callTool('a'))).toBe('new: a {}')
  expect(textOf(await group.callTool('b'))).toBe('old: b {}')
})

// Several clients of one server: whatever they have in common, nothing of one reaches another.
import { expect } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { Server } from '../../../src/server/server.ts'
import type { LoggingMessageNotificationParams } from '../../../src/types/features/logging.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { connectRawClient, createAsker, ROOTS, SAMPLING, text, textOf, toolServer } from '../kit/support-interaction.ts'

interface Member {
  name: string
  client: Client
}

/** Two clients that know only their own name; what one mints, the other mints as well. */
async function connectTwo({ connect }: Setting, server: Server, options: (name: string) => ClientOptions = () => ({})) {
  const open = async (name: string): Promise<Member> => ({
    name,
    client: await connect(server, { clientInfo: { name, version: '1' }, ...options(name) }),
  })
  const members = [await open('ada'), await open('eve')] as const
  return { members, [Symbol.asyncDispose]: async () => void (await Promise.all(members.map((m) => m.client.close()))) }
}

/** In each setting, which makes more than ten thousand over all of them. */
const ROUNDS = 2_000

requirement('isolation:R06:answers', async (setting) => {
  const server = toolServer(async ({ clientInfo }, { arguments: args }) => {
    await Promise.resolve()
    return text(`${args?.['secret']} for ${clientInfo?.name}`)
  })
  await using two = await connectTwo(setting, server)

  // Two hundred requests at once are over HTTP as many connections, and take their time.
  const rounds = setting.transport === 'http' || setting.transport === 'fetch' ? ROUNDS / 5 : ROUNDS
  for (let round = 0; round < rounds; round += 100) {
    const calls = Array.from({ length: 100 }, (_, n) =>
      two.members.map((member) => ({ ...member, n: round + n })),
    ).flat()
    const answers = await Promise.all(
      // The very same ids on both connections, on purpose.
      calls.map(({ client, name, n }) =>
        client.callTool('tool', { secret: `${name} ${n}` }, { requestId: `call ${n}` }),
      ),
    )
    expect(answers.map(textOf)).toEqual(calls.map(({ name, n }) => `${name} ${n} for ${name}`))
  }
})

requirement('isolation:R06:progress', async (setting) => {
  const server = toolServer(async (ctx, { arguments: args }) => {
    for (let progress = 1; progress <= 5; progress += 1) {
      await ctx.reportProgress(progress, 5, `${args?.['secret']}`)
      await Promise.resolve()
    }
    return text('')
  })
  await using two = await connectTwo(setting, server)

  const told: Record<string, (string | undefined)[]> = { ada: [], eve: [] }
  await Promise.all(
    two.members.flatMap(({ name, client }) =>
      Array.from({ length: 20 }, (_, n) =>
        client.callTool(
          'tool',
          { secret: name },
          { requestId: n, onProgress: ({ message }) => told[name]?.push(message) },
        ),
      ),
    ),
  )

  expect(told).toEqual({ ada: Array(100).fill('ada'), eve: Array(100).fill('eve') })
})

requirement('isolation:R06:log-messages', async (setting) => {
  const server = toolServer(
    async ({ session, clientInfo }) => {
      await session.sendLogMessage('error', clientInfo?.name)
      return text('')
    },
    { logging: true },
  )
  const heard: Record<string, unknown[]> = { ada: [], eve: [] }
  const onLog =
    (name: string) =>
    ({ data }: LoggingMessageNotificationParams) =>
      void heard[name]?.push(data)
  await using two = await connectTwo(setting, server, (name) => ({ logLevel: 'debug', onLog: onLog(name) }))

  await Promise.all(two.members.flatMap(({ client }) => Array.from({ length: 20 }, () => client.callTool('tool'))))

  expect(heard).toEqual({ ada: Array(20).fill('ada'), eve: Array(20).fill('eve') })
})

requirement('isolation:R06:log-level', async (setting) => {
  const server = toolServer(
    async ({ session }) => {
      await session.sendLogMessage('info', 'x')
      return text('')
    },
    { logging: true },
  )
  const heard: string[] = []
  await using two = await connectTwo(setting, server, (name) => ({ onLog: () => void heard.push(name) }))
  const [ada, eve] = two.members

  await ada.client.setLoggingLevel('emergency')
  await eve.client.setLoggingLevel('debug')
  await ada.client.callTool('tool')
  await eve.client.callTool('tool')

  expect(heard).toEqual(['eve'])
})

requirement('isolation:R06:questions', async (setting) => {
  const { server, answers } = createAsker(SAMPLING)
  const asked: Record<string, number> = { ada: 0, eve: 0 }
  await using two = await connectTwo(setting, server, (name) => ({
    onSampling: async () => {
      asked[name] = (asked[name] ?? 0) + 1
      await Promise.resolve()
      return { role: 'assistant', model: name, content: { type: 'text', text: name } }
    },
  }))

  await Promise.all(two.members.flatMap(({ client }) => Array.from({ length: 20 }, () => client.callTool('tool'))))

  expect(asked).toEqual({ ada: 20, eve: 20 })
  expect(answers.map(({ model }) => model).sort()).toEqual([...Array(20).fill('ada'), ...Array(20).fill('eve')])
})

requirement('isolation:R06:context', async (setting) => {
  const seen: string[] = []
  const server = toolServer(({ clientInfo, clientCapabilities, session }) => {
    seen.push(`${clientInfo?.name} ${Object.keys(clientCapabilities)} ${session.checkClientCapability({ roots: {} })}`)
    return text('')
  })
  await using two = await connectTwo(setting, server, (name) =>
    name === 'ada' ? { onListRoots: () => ({ roots: [] }) } : { onSampling: () => Promise.reject() },
  )

  for (const { client } of [...two.members, ...two.members]) await client.callTool('tool')

  expect(seen).toEqual(['ada roots true', 'eve sampling false', 'ada roots true', 'eve sampling false'])
})

requirement('isolation:I7:cancel-reaches-its-own', async (setting) => {
  const signals = new Map<string, AbortSignal>()
  const running = createDeferred<void>()
  const release = createDeferred<void>()
  const server = toolServer(async ({ signal, clientInfo }) => {
    signals.set(`${clientInfo?.name}`, signal)
    if (signals.size === 2) running.resolve()
    await release.promise
    return text('done')
  })
  await using two = await connectTwo(setting, server)
  const [ada, eve] = two.members
  const controller = new AbortController()

  const cancelled = ada.client
    .callTool('tool', {}, { requestId: 'same', signal: controller.signal })
    .catch(() => 'gone')
  const bystander = eve.client.callTool('tool', {}, { requestId: 'same' })
  await running.promise
  controller.abort()
  expect(await cancelled).toBe('gone')
  release.resolve()

  expect(textOf(await bystander)).toBe('done')
  expect([signals.get('ada')?.aborted, signals.get('eve')?.aborted]).toEqual([true, false])
})

requirement('isolation:I7:one-closes', async (setting) => {
  const running = createDeferred<void>()
  const release = createDeferred<void>()
  let count = 0
  const server = toolServer(async () => {
    count += 1
    if (count === 2) running.resolve()
    await release.promise
    return text('done')
  })
  await using two = await connectTwo(setting, server)
  const [ada, eve] = two.members

  const lost = ada.client.callTool('tool').catch((error: unknown) => error)
  const kept = eve.client.callTool('tool')
  await running.promise
  await ada.client.close()
  release.resolve()

  expect(await lost).toMatchObject({ code: -32000, local: true })
  expect(textOf(await kept)).toBe('done')
})

requirement('isolation:I7:one-misbehaves', async (setting) => {
  const { server } = createAsker(ROOTS)
  await using raw = await connectRawClient(setting, server, { roots: {} })
  await using client = await setting.connect(server, { onListRoots: () => ({ roots: [] }) })
  const calls = Array.from({ length: 20 }, () => client.callTool('tool'))

  for (const message of [null, 7, 'x', [], {}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: {} }]) {
    raw.peer.send(message)
  }
  for (let id = 0; id < 20; id += 1) raw.peer.send({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///evil' }] } })
  raw.peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await raw.peer.channel.close()

  expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => 'thanks'))
})

requirement('isolation:R57:call-id-in-flight', async (setting) => {
  const release = createDeferred<void>()
  const runs: unknown[] = []
  const server = toolServer(async (_ctx, { arguments: args }) => {
    runs.push(args?.['n'])
    await release.promise
    return text(`answer to ${args?.['n']}`)
  })
  await using raw = await connectRawClient(setting, server)
  const call = (n: number) => ({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'tool', arguments: { n }, _meta: raw.meta },
  })

  raw.peer.send(call(1))
  raw.peer.send(call(2))
  expect(await raw.peer.next()).toMatchObject({ id: 7, error: { code: -32600 } })
  release.resolve()

  expect(await raw.peer.next()).toMatchObject({ id: 7, result: { content: [{ text: 'answer to 1' }] } })
  expect(runs).toEqual([1])
})

requirement('isolation:R06:subscriptions', async (setting) => {
  const uris: Record<string, string[]> = { ada: [], eve: [] }
  const server = toolServer(() => text(''), {
    subscriptions: true,
    handlers: {
      'resources/list': () => ({ resources: [] }),
      'resources/read': (_ctx, { uri }) => ({ contents: [{ uri, text: '' }] }),
    },
  })
  await using two = await connectTwo(setting, server)
  const subscriptions = await Promise.all(
    two.members.map(({ name, client }) => client.listen({ resourceSubscriptions: [`note:/${name}`] })),
  )

  for (const name of ['ada', 'eve', 'nobody']) await server.announce({ type: 'resourceUpdated', uri: `note:/${name}` })
  for (const [index, { name }] of two.members.entries()) {
    for await (const event of subscriptions[index] ?? []) {
      if (event.type === 'resourceUpdated') uris[name]?.push(event.uri)
      break
    }
  }

  expect(uris).toEqual({ ada: ['note:/ada'], eve: ['note:/eve'] })
})

// For whom a result is kept: principals, servers and revisions apart, and what an extra round makes of it.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import type { InputRequiredResult } from '../../../src/types/features/input-required.ts'
import { requirement } from '../kit/requirement.ts'
import { ask, caching, hints, numberingServer, read, TestStore } from '../kit/support-caching.ts'
import { failureOf } from '../kit/support-features.ts'

requirement('fault:F221:private-results', async ({ connect }) => {
  const store = new TestStore()
  const server = numberingServer()
  const as = (partition: string) => caching({ store, partition, targetId: 's', sharePublic: true })
  await using alice = await connect(server, as('alice'))
  await using bob = await connect(server, as('bob'))
  await using aliceAgain = await connect(server, as('alice'))

  expect(await ask.tools(alice)).toBe('v1')
  expect(await ask.tools(bob)).toBe('v2')
  expect(await ask.tools(aliceAgain)).toBe('v1')
})

requirement('cache:scope:public', async ({ connect }) => {
  const store = new TestStore()
  const server = numberingServer({ cacheHints: hints(undefined, 'public') })
  const as = (partition: string, sharePublic: boolean) => caching({ store, partition, targetId: 's', sharePublic })
  await using alice = await connect(server, as('alice', true))
  await using bob = await connect(server, as('bob', true))
  await using carol = await connect(server, as('carol', false))

  expect(await ask.tools(alice)).toBe('v1')
  expect(await ask.tools(bob)).toBe('v1')
  expect(await ask.tools(carol)).toBe('v2')
})

requirement('cache:scope:turned-private', async ({ connect }) => {
  const store = new TestStore()
  let cacheScope: 'public' | 'private' = 'public'
  let count = 0
  const server = numberingServer({
    handlers: {
      'prompts/list': () => {
        count += 1
        return { prompts: [{ name: `v${count}` }], ttlMs: 60_000, cacheScope }
      },
    },
  })
  const as = (partition: string) => caching({ store, partition, targetId: 's', sharePublic: true })
  await using alice = await connect(server, as('alice'))
  await using bob = await connect(server, as('bob'))
  await ask.prompts(alice)
  cacheScope = 'private'
  await ask.prompts(alice, { cacheMode: 'refresh' })

  expect(await ask.prompts(bob)).toBe('v3')
  expect(await ask.prompts(alice)).toBe('v2')
})

requirement('cache:scope:servers', async ({ connect }) => {
  const store = new TestStore()
  const to = (targetId: string) => caching({ store, partition: 'me', targetId })
  await using one = await connect(numberingServer(), to('one'))
  await ask.tools(one)
  await ask.tools(one, { cacheMode: 'refresh' })
  await using two = await connect(numberingServer(), to('two'))

  expect(await ask.tools(two)).toBe('v1')
  expect(await ask.tools(one)).toBe('v2')
})

requirement('cache:scope:revisions', async ({ connect, isModern }) => {
  const server = numberingServer()
  const options = caching({ store: new TestStore(), partition: 'me', targetId: 's' })
  await using ours = await connect(server, options)
  const mode = isModern ? 'legacy' : 'auto'
  await using theirs = await Client.connect(memoryTransport(server), { ...options, mode })

  expect(await ask.tools(ours)).toBe('v1')
  expect(await ask.tools(theirs)).toBe('v2')
  expect(await ask.tools(ours)).toBe('v1')
})

requirement('cache:scope:clients-of-their-own', async ({ connect }) => {
  const server = numberingServer()
  await using one = await connect(server, caching())
  await using two = await connect(server, caching())

  expect(await ask.tools(one)).toBe('v1')
  expect(await ask.tools(two)).toBe('v2')
})

requirement('cache:scope:keys-tell-nothing', async ({ connect }) => {
  const store = new TestStore()
  const targetId = 'https://example.com/mcp?token=secret'
  await using client = await connect(numberingServer(), caching({ store, partition: 'me', targetId }))
  await ask.tools(client)

  expect(store.entries.size).toBe(1)
  expect([...store.entries.keys()].join()).not.toMatch(/secret|example/)
})

requirement('cache:store:needs-names', async ({ connect }) => {
  const store = new TestStore()

  expect(await failureOf(Promise.resolve().then(() => connect(numberingServer(), { cache: { store } })))).toMatchObject(
    {
      message: /partition/,
    },
  )
  const unnamed = { cache: { store, partition: 'me' } }
  expect(await failureOf(Promise.resolve().then(() => connect(numberingServer(), unnamed)))).toMatchObject({
    message: /targetId/,
  })
})

requirement('cache:store:fails', async ({ connect }) => {
  const store = new TestStore()
  const faults: Fault[] = []
  const options = {
    ...caching({ store, partition: 'me', targetId: 's' }),
    onFault: (fault: Fault) => faults.push(fault),
  }
  await using client = await connect(numberingServer(), options)
  store.before = () => {
    throw new Error('The disk is on fire')
  }
  expect([await ask.tools(client), await ask.tools(client)]).toEqual(['v1', 'v2'])
  const reported = faults.map(({ message }) => /failed to (\w+)/.exec(message)?.[1])
  expect(new Set(reported).size).toBe(reported.length)
  store.before = () => {}

  expect([await ask.tools(client), await ask.tools(client)]).toEqual(['v3', 'v3'])
})

requirement('cache:store:holds-nonsense', async ({ connect }) => {
  const store = new TestStore()
  const options = caching({ store, partition: 'me', targetId: 's' })
  await using client = await connect(numberingServer(), options)
  await ask.tools(client)
  for (const key of store.entries.keys()) store.entries.set(key, { value: 'nonsense' } as never)

  expect(await ask.tools(client)).toBe('v2')
})

const QUESTION: InputRequiredResult = {
  resultType: 'input_required',
  requestState: 'asked',
  inputRequests: {
    name: {
      method: 'elicitation/create',
      params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
    },
  },
}

/** A server that may ask before it lets a resource be read. */
function askingServer(isAsking: () => boolean) {
  let count = 0
  return numberingServer({
    handlers: {
      'resources/read': ({ inputResponses }, { uri }) => {
        if (isAsking() && inputResponses === undefined) return QUESTION
        count += 1
        return { contents: [{ uri, text: `v${count}` }] }
      },
    },
  })
}

const onElicitation = () => ({ action: 'accept' as const, content: { name: 'Ada' } })

requirement('cache:rounds:not-kept', async ({ connect }) => {
  await using client = await connect(
    askingServer(() => true),
    { onElicitation },
  )

  expect(await read(client, 'x:1')).toBe('v1')
  expect(await read(client, 'x:1')).toBe('v2')
})

requirement('cache:rounds:take-the-old-one-away', async ({ connect }) => {
  let isAsking = false
  await using client = await connect(
    askingServer(() => isAsking),
    { onElicitation },
  )
  await read(client, 'x:1')
  isAsking = true
  expect(await read(client, 'x:1', { cacheMode: 'refresh' })).toBe('v2')
  isAsking = false

  expect(await read(client, 'x:1')).toBe('v3')
})

requirement('cache:rounds:seeded', async ({ connect }) => {
  await using client = await connect(askingServer(() => false))
  const seed = { inputResponses: { name: onElicitation() }, requestState: 'asked' }
  const seeded = async () => {
    const [contents] = (await client.readResource('x:1', seed)).contents
    return contents !== undefined && 'text' in contents ? contents.text : undefined
  }

  expect([await read(client, 'x:1'), await seeded(), await seeded(), await read(client, 'x:1')]).toEqual([
    'v1',
    'v2',
    'v3',
    'v1',
  ])
})

// The response cache when things change: nothing that was declared stale is served, whatever the race.
import { expect, vi } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { Server } from '../../../src/server/server.ts'
import type { SubscriptionEvent } from '../../../src/server/subscriptions/subscriptions.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { allAt, ask, askAll, caching, numberingServer, read, TestStore } from '../kit/support-caching.ts'
import { Inbox } from '../kit/support-features.ts'

const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['x:1', 'x:2'],
}

interface Watcher extends AsyncDisposable {
  readonly client: Client
  /** Announces a change and waits until the client's application has heard of it. */
  announce(event: SubscriptionEvent): Promise<void>
}

/** A client that hears of all changes, in the way of its era. */
async function watch({ connect, isModern }: Setting, server: Server, config = {}): Promise<Watcher> {
  const heard = new Inbox<string>()
  const client = await connect(server, { ...caching(config), onMessage: ({ method }) => heard.push(method) })
  if (isModern) await client.listen(EVERYTHING)
  else for (const uri of EVERYTHING.resourceSubscriptions) await client.subscribeResource(uri)
  return {
    client,
    announce: async (event) => {
      const count = heard.items.length
      await server.announce(event)
      await heard.first(count + 1)
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

requirement('cache:change:tools', async (setting) => {
  await using watcher = await watch(setting, numberingServer())
  await askAll(watcher.client)
  await watcher.announce({ type: 'toolsListChanged' })

  expect(await askAll(watcher.client)).toEqual({ ...allAt('v1'), tools: 'v2' })
})

requirement('cache:change:prompts', async (setting) => {
  await using watcher = await watch(setting, numberingServer())
  await askAll(watcher.client)
  await watcher.announce({ type: 'promptsListChanged' })

  expect(await askAll(watcher.client)).toEqual({ ...allAt('v1'), prompts: 'v2' })
})

requirement('cache:change:resources', async (setting) => {
  await using watcher = await watch(setting, numberingServer())
  await askAll(watcher.client)
  await watcher.announce({ type: 'resourcesListChanged' })

  expect(await askAll(watcher.client)).toEqual({ ...allAt('v1'), resources: 'v2', templates: 'v2' })
})

requirement('cache:change:one-resource', async (setting) => {
  await using watcher = await watch(setting, numberingServer())
  await askAll(watcher.client)
  await read(watcher.client, 'x:2')
  await watcher.announce({ type: 'resourceUpdated', uri: 'x:1' })

  expect(await askAll(watcher.client)).toEqual({ ...allAt('v1'), read: 'v2' })
  expect(await read(watcher.client, 'x:2')).toBe('v1')
})

/** Holds up the listing of tools, with the answer already made, until it is let go. */
function holdUpTools(server: Server): { entered: Inbox<void>; release(): void } {
  const entered = new Inbox<void>()
  let gate = createDeferred<void>()
  server.use(async (ctx, next) => {
    const result = await next()
    if (ctx.method !== 'tools/list') return result
    entered.push()
    await gate.promise
    return result
  })
  return {
    entered,
    release: () => {
      gate.resolve()
      gate = createDeferred()
      gate.resolve()
    },
  }
}

requirement('cache:change:during-a-fetch', async (setting) => {
  const server = numberingServer()
  const held = holdUpTools(server)
  await using watcher = await watch(setting, server)
  const overtaken = ask.tools(watcher.client)
  await held.entered.first(1)
  await watcher.announce({ type: 'toolsListChanged' })
  held.release()

  expect(await overtaken).toBe('v1')
  expect(await ask.tools(watcher.client)).toBe('v2')
  expect(await ask.tools(watcher.client)).toBe('v2')
})

requirement('cache:change:during-a-write', async (setting) => {
  const store = new TestStore()
  const config = { store, partition: 'me', targetId: 'numbering' }
  const server = numberingServer()
  await using watcher = await watch(setting, server, config)
  const writing = createDeferred<void>()
  const forgetting = createDeferred<void>()
  const gate = createDeferred<void>()
  let isWriting = false
  store.before = async (operation) => {
    if (operation === 'delete' && isWriting) forgetting.resolve()
    if (operation !== 'set') return
    isWriting = true
    writing.resolve()
    await gate.promise
  }
  const overtaken = ask.tools(watcher.client)
  await writing.promise
  await server.announce({ type: 'toolsListChanged' })
  await forgetting.promise
  gate.resolve()

  expect(await overtaken).toBe('v1')
  expect(await ask.tools(watcher.client)).toBe('v2')
  expect([...store.entries.values()].map(({ value }) => JSON.stringify(value)).join()).not.toContain('v1')
})

requirement('cache:change:late-write', async (setting) => {
  vi.useFakeTimers()
  try {
    const store = new TestStore()
    const written = createDeferred<void>()
    const gate = createDeferred<void>()
    const watcher = await watch(setting, numberingServer(), { store, partition: 'me', targetId: 'numbering' })
    store.before = (operation) => (operation === 'set' ? gate.promise : undefined)
    const asked = ask.tools(watcher.client)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await asked).toBe('v1')
    await watcher.announce({ type: 'toolsListChanged' })
    store.before = (operation) => (operation === 'delete' ? written.resolve() : undefined)
    gate.resolve()
    await written.promise

    expect(await ask.tools(watcher.client)).toBe('v2')
    await watcher.client.close()
  } finally {
    vi.useRealTimers()
  }
})

requirement('cache:change:is-not-joined', async (setting) => {
  const server = numberingServer()
  const held = holdUpTools(server)
  await using watcher = await watch(setting, server)
  const before = ask.tools(watcher.client)
  await held.entered.first(1)
  await watcher.announce({ type: 'toolsListChanged' })
  const after = ask.tools(watcher.client)
  await held.entered.first(2)
  held.release()

  expect([await before, await after]).toEqual(['v1', 'v2'])
})

requirement('cache:change:gone-before-the-reader-knows', async ({ connect }) => {
  const store = new TestStore()
  const server = numberingServer()
  const config = { store, partition: 'me', targetId: 'numbering' }
  await using client = await connect(server, caching(config))
  await using subscription = await client.listen(EVERYTHING)
  store.before = async (operation) => {
    for (let turn = 0; operation === 'delete' && turn < 50; turn += 1) await Promise.resolve()
  }
  await ask.tools(client)
  await server.announce({ type: 'toolsListChanged' })
  await subscription.next()

  expect(store.entries.size).toBe(0)
  expect(await ask.tools(client)).toBe('v2')
})

requirement('cache:change:gone-before-the-callback', async ({ connect, isModern }) => {
  const server = numberingServer()
  const asked = createDeferred<string | undefined>()
  const clients: Client[] = []
  await using client = await connect(server, {
    ...caching(),
    onMessage: async () => {
      const [known] = clients
      if (known !== undefined) asked.resolve(await ask.tools(known))
    },
  })
  clients.push(client)
  if (isModern) await client.listen(EVERYTHING)
  await ask.tools(client)
  await server.announce({ type: 'toolsListChanged' })

  expect(await asked.promise).toBe('v2')
})

requirement('cache:change:fault:F221', async (setting) => {
  const store = new TestStore()
  const config = { store, partition: 'me', targetId: 'numbering' }
  await using watcher = await watch(setting, numberingServer(), config)
  for (let round = 1; round <= 5; round += 1) {
    expect(await ask.tools(watcher.client)).toBe(`v${round}`)
    await watcher.announce({ type: 'toolsListChanged' })
    expect(store.entries.size).toBe(0)
  }
})

// Members of the filter of listen() that an extension owns on the client, here those of a vendor.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { ClientExtension, NotificationContext } from '../../../src/client/extensions/extension.ts'
import type { ClientExtensionFilter } from '../../../src/client/extensions/owned-filters.ts'
import { ClientSession } from '../../../src/client/session/session.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { ServerExtension } from '../../../src/server/extensions/extension.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { text, toolServer } from '../kit/support-interaction.ts'

const JOBS = 'com.example/jobs'
const JOB_IDS: ClientExtensionFilter = { notification: 'com.example/job', keyParam: 'jobId' }

/** What a client needs to watch jobs. */
function watching(parts: Partial<ClientExtension> = {}): ClientExtension {
  return { identifier: JOBS, filters: { jobIds: JOB_IDS }, ...parts }
}

/** A server with the jobs a and b. */
function jobServer() {
  const states = new Map([
    ['a', 'new'],
    ['b', 'new'],
  ])
  const extension: ServerExtension = {
    identifier: JOBS,
    watches: {
      jobIds: {
        grant: (_ctx, keys) => keys.filter((key) => states.has(key)),
        describe: (jobId) => ({ method: 'com.example/job', params: { jobId, status: states.get(jobId) ?? null } }),
      },
    },
  }
  const server = toolServer(() => text(''), { extensions: [extension], subscriptions: true })
  const change = (key: string, status: string) => {
    states.set(key, status)
    return server.announce({ type: 'extensionChanged', filter: 'jobIds', key })
  }
  return { server, change }
}

requirement('client-extension:filter:events', async ({ connect }) => {
  const { server, change } = jobServer()
  await using client = await connect(server, { extensions: [watching()] })
  await using subscription = await client.listen({ toolsListChanged: true, jobIds: ['a', 'b'] })

  await change('b', 'done')

  const { value } = await subscription.next()
  expect(value).toMatchObject({
    type: 'extension',
    filter: 'jobIds',
    key: 'b',
    method: 'com.example/job',
    params: { jobId: 'b', status: 'done' },
  })
  await server.announce({ type: 'toolsListChanged' })
  expect(await subscription.next()).toEqual({ done: false, value: { type: 'toolsListChanged' } })
})

requirement('client-extension:filter:granted', async ({ connect }) => {
  const { server, change } = jobServer()
  await using client = await connect(server, { extensions: [watching()] })
  await using subscription = await client.listen({ jobIds: ['a', 'stranger', 'a'] })
  await using other = await client.listen({ jobIds: ['b'] })

  expect(subscription.honored).toEqual({ jobIds: ['a'] })
  expect(subscription.honored.jobIds).toEqual(['a'])
  expect(subscription.refused).toEqual({ jobIds: ['stranger'] })
  await change('b', 'done')
  await change('a', 'done')
  expect(await subscription.next()).toMatchObject({ value: { key: 'a' } })
  expect(await other.next()).toMatchObject({ value: { key: 'b' } })
})

requirement('client-extension:filter:newest-waits', async ({ connect }) => {
  const { server, change } = jobServer()
  const third = createDeferred<void>()
  let heard = 0
  const handle = () => {
    heard += 1
    if (heard === 3) third.resolve()
  }
  await using client = await connect(server, {
    extensions: [watching({ notifications: [{ method: 'com.example/job', handle }] })],
  })
  await using subscription = await client.listen({ jobIds: ['a', 'b'] })

  for (const [key, status] of [
    ['a', 'one'],
    ['b', 'two'],
    ['a', 'three'],
  ] as const) {
    const seen = heard
    await change(key, status)
    // A server sends only the latest state, so each has to arrive before the next change.
    await expect.poll(() => heard, { interval: 1, timeout: 5_000 }).toBe(seen + 1)
  }
  await third.promise

  expect(await subscription.next()).toMatchObject({ value: { key: 'a', params: { status: 'three' } } })
  expect(await subscription.next()).toMatchObject({ value: { key: 'b', params: { status: 'two' } } })
})

requirement('client-extension:filter:binding', async ({ connect }) => {
  const { server, change } = jobServer()
  const bound = createDeferred<{ params: JSONObject; context: NotificationContext }>()
  const handle = (params: JSONObject, context: NotificationContext) => bound.resolve({ params, context })
  await using client = await connect(server, {
    extensions: [watching({ notifications: [{ method: 'com.example/job', handle }] })],
  })
  await using _other = await client.listen({ toolsListChanged: true })
  await using subscription = await client.listen({ jobIds: ['a'] })

  await change('a', 'done')

  const { params, context } = await bound.promise
  expect(params).toMatchObject({ jobId: 'a', status: 'done' })
  expect(context.subscription).toBe(subscription)
  expect(context.session).toBe(client.session)
  // The subscription has it already.
  expect(await subscription.next()).toMatchObject({ value: { key: 'a', params: { status: 'done' } } })
})

requirement('client-extension:filter:unknown', async ({ connect, isModern }) => {
  const { server } = jobServer()
  await using plain = await connect(server)
  await using client = await connect(server, { extensions: [watching()] })

  const message =
    /'jobIds'.*toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions, or add the extension/
  await expect(plain.listen({ jobIds: ['a'] })).rejects.toThrow(message)
  await expect(client.listen({ taskIds: ['a'] })).rejects.toThrow(/'taskIds'.*resourceSubscriptions, jobIds/)
  await expect(client.listen({ jobIds: 'a' as never })).rejects.toThrow(/jobIds must be an array of strings/)
  await expect(client.listen({ jobIds: [7 as never] })).rejects.toThrow(TypeError)
  if (isModern) {
    await using subscription = await client.listen({ jobIds: [], ...({ other: undefined } as object) })
    expect(subscription.honored).toEqual({})
  }
})

requirement('client-extension:filter:legacy', async ({ connect, version }) => {
  const { server } = jobServer()
  await using client = await connect(server, { extensions: [watching()] })

  await expect(client.listen({ toolsListChanged: true, jobIds: ['a'] })).rejects.toMatchObject({
    code: -32601,
    local: true,
    message: expect.stringMatching(new RegExp(`'jobIds'.*${version}`)),
  })
})

requirement('client-extension:filter:conflicts', () => {
  const server = toolServer(() => text(''))
  const create =
    (...extensions: ClientExtension[]) =>
    () =>
      new Client(server, { extensions })
  const createSession = (extensionFilters: Record<string, ClientExtensionFilter>) => () =>
    new ClientSession(createMemoryChannelPair()[0], { extensionFilters })

  for (const owns of [
    (filters: Record<string, ClientExtensionFilter>) => create(watching({ filters })),
    createSession,
  ]) {
    expect(owns({ jobIds: JOB_IDS })).not.toThrow()
    expect(owns({ resourceSubscriptions: JOB_IDS })).toThrow(/'resourceSubscriptions' belongs to the specification/)
    expect(owns({ toolsListChanged: JOB_IDS })).toThrow(TypeError)
    expect(owns({ '': JOB_IDS })).toThrow(TypeError)
    expect(owns({ jobIds: { ...JOB_IDS, keyParam: '' } })).toThrow(TypeError)
    expect(owns({ jobIds: { keyParam: 'jobId' } as never })).toThrow(TypeError)
    expect(owns({ jobIds: { ...JOB_IDS, notification: 'notifications/message' } })).toThrow(/notifications\/message/)
    expect(owns({ jobIds: JOB_IDS, others: JOB_IDS })).toThrow(/'com\.example\/job' belongs to two filters/)
  }
  expect(create(watching(), watching({ identifier: 'com.example/other' }))).toThrow(
    /com\.example\/jobs.*com\.example\/other.*jobIds/,
  )
})

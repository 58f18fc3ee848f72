// The ids of requests: unique, comparable, and the only thing that joins an answer to its call.
import { expect } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { requirement } from '../kit/requirement.ts'
import {
  codeOf,
  connectScripted,
  DONE,
  type Message,
  RawClient,
  serverWith,
  text,
  waitingTool,
} from '../kit/support-lifecycle.ts'

/** A server that answers `vendor/id` with the id of the request. */
function idServer() {
  const server = serverWith(() => DONE)
  server.setRequestHandler('vendor/id', ({ requestId }) => ({ id: requestId }))
  return server
}

requirement('rpc:ids:unique', async ({ connect, wire }) => {
  await using client = await connect(serverWith(() => DONE))
  await Promise.all(Array.from({ length: 20 }, () => client.callTool('run')))

  const ids = (wire.sent as unknown as Message[]).flatMap(({ id }) => (id === undefined ? [] : [id]))
  expect(ids.length).toBeGreaterThan(20)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every(Number.isSafeInteger)).toBe(true)
})

requirement('rpc:ids:custom', async ({ connect }) => {
  await using client = await connect(idServer())
  for (const requestId of ['abc', '7', 'ünï', 1_000]) {
    expect(await client.session.sendRequest('vendor/id', {}, { requestId })).toMatchObject({ id: requestId })
  }
})

requirement('fault:F046:ids-at-the-edge', async ({ connect }) => {
  await using client = await connect(idServer())
  for (const requestId of [0, '', -1, Number.MAX_SAFE_INTEGER]) {
    expect(await client.session.sendRequest('vendor/id', {}, { requestId })).toMatchObject({ id: requestId })
  }
})

requirement('rpc:ids:custom-must-be-ids', async ({ connect }) => {
  await using client = await connect(idServer())
  for (const requestId of [true, null, 1.5, 2 ** 53, {}]) {
    const call = client.session.sendRequest('vendor/id', {}, { requestId: requestId as string })
    await expect(call).rejects.toBeInstanceOf(TypeError)
  }
})

requirement('rpc:ids:collision', async ({ connect }) => {
  const { handler, entered, release } = waitingTool()
  await using client = await connect(serverWith(handler))
  const first = client.callTool('run', {}, { requestId: 'mine' })
  await entered

  await expect(client.callTool('run', {}, { requestId: 'mine' })).rejects.toBeInstanceOf(RangeError)

  release()
  expect(await first).toMatchObject(DONE)
})

requirement('rpc:ids:minted-around-custom', async ({ connect }) => {
  const { handler, entered, release } = waitingTool()
  const server = serverWith(handler)
  server.setRequestHandler('vendor/id', ({ requestId }) => ({ id: requestId }))
  await using client = await connect(server)
  const { id } = (await client.session.sendRequest('vendor/id')) as { id: number }

  const held = client.callTool('run', {}, { requestId: id + 2 })
  await entered
  const minted: unknown[] = []
  for (let n = 0; n < 3; n++) minted.push((await client.session.sendRequest('vendor/id'))['id'])

  expect(minted).not.toContain(id + 2)
  release()
  expect(await held).toMatchObject(DONE)
})

requirement('fault:F043:ids-as-text', async (setting) => {
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/call', (_params, id) => {
      queueMicrotask(() => {
        for (const other of [` ${id}`, `+${id}`, `0${id}`, `${id}.0`, true]) server.respond(other, text('wrong'))
        server.respond(String(id), text('right'))
      })
      return undefined
    })
  })
  expect(await scripted.client.callTool('run')).toMatchObject(text('right'))
})

requirement('rpc:ids:echoed-as-they-are', async (setting) => {
  await using raw = await RawClient.connect(
    serverWith(() => DONE),
    setting,
  )
  for (const id of ['7', 8, '', 0, -3, 'listen-1']) expect((await raw.ask('tools/list', {}, id))['id']).toBe(id)
})

requirement('fault:F045:ids-that-are-none', async (setting) => {
  let ran = 0
  const server = serverWith(() => {
    ran += 1
    return DONE
  })
  await using raw = await RawClient.connect(server, setting)
  for (const id of [null, true, 1.5, {}, [], 2 ** 53, 1e300]) {
    const answer = await raw.ask('tools/call', { name: 'run' }, id)
    expect(codeOf(answer), JSON.stringify(id)).toBe(-32600)
    expect(answer).not.toHaveProperty('id')
  }
  expect(ran).toBe(0)
})

requirement('fault:F044:duplicate-id', async (setting) => {
  const gate = createDeferred()
  let ran = 0
  const server = serverWith(async () => {
    ran += 1
    const number = ran
    await gate.promise
    return text(`run ${number}`)
  })
  await using raw = await RawClient.connect(server, setting)

  raw.request('tools/call', { name: 'run' }, 'R57')
  const refused = await raw.ask('tools/call', { name: 'run' }, 'R57')
  gate.resolve()

  expect(codeOf(refused)).toBe(-32600)
  expect(await raw.next()).toHaveProperty('result.content.0.text', 'run 1')
  expect(ran).toBe(1)
})

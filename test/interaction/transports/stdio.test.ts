// What only a real process, or the bytes of a real pipe, can show.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { Transport } from '../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { type StdioOptions, stdio } from '../../../src/node/stdio/stdio-client.ts'
import { serveStdio } from '../../../src/node/stdio/stdio-server.ts'
import type { Server } from '../../../src/server/server.ts'
import { ErrorCode } from '../../../src/types/errors/error-codes.ts'
import { LimitError } from '../../../src/types/errors/failures.ts'
import { bundleFixtures } from '../../support/bundle.ts'
import { expectGone, HASTY, isAlive, PATIENT, talkTo } from '../../unit/node/stdio/stdio-client-support.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { pipedTransport } from '../kit/settings-stdio.ts'
import { envelope, serverWith, text } from '../kit/support-lifecycle.ts'
import { changingServer, TOOLS, take } from '../kit/support-listen.ts'

const CHILD = fileURLToPath(new URL('../../fixtures/stdio/child.js', import.meta.url))
let served = ''
let launcher = ''

beforeAll(async () => {
  ;[served = '', launcher = ''] = await bundleFixtures('interaction', ['served.js', 'launcher.js'])
})

const textOf = (result: { content: unknown }) => (result.content as { text: string }[])[0]?.text

function start(args: string[], options: Partial<StdioOptions> = {}): Transport {
  return stdio({ command: process.execPath, args, stderr: 'ignore', ...options })
}

function connect({ isModern, wire }: Setting, transport: Transport, onFault: (fault: Fault) => void = () => {}) {
  return Client.connect(wire.wrapTransport(transport), { mode: isModern ? 'auto' : 'legacy', onFault })
}

/** A server on streams that the test writes and reads by hand. */
function serveByHand(server: Server) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = serveStdio(server, { input, output })
  let rest = ''
  const next = async (): Promise<Record<string, unknown>> => {
    while (!rest.includes('\n')) rest += String((await once(output, 'data'))[0])
    const end = rest.indexOf('\n')
    const line = rest.slice(0, end)
    rest = rest.slice(end + 1)
    return JSON.parse(line)
  }
  return { input, next, serving }
}

const callOf = ({ isModern }: Setting, id: unknown) => ({
  jsonrpc: '2.0',
  id,
  method: isModern ? 'tools/list' : 'ping',
  params: isModern ? { _meta: envelope() } : {},
})

requirement('rpc:json:other-failures', async (setting) => {
  const { input, next, serving } = serveByHand(serverWith(() => text('done')))
  const call = JSON.stringify(callOf(setting, 'ID'))
  input.write(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"deep":${'['.repeat(100)}${']'.repeat(100)}}}\n`)
  expect(await next()).toMatchObject({
    id: 1,
    error: { code: ErrorCode.InvalidRequest, data: { limit: 'JSON nesting', max: 64 } },
  })
  for (const number of ['1e400', '9007199254740993', `1${'0'.repeat(400)}`, '0.5']) {
    input.write(`${call.replace('"ID"', number)}\n`)
    expect(await next(), number).toMatchObject({ error: { code: ErrorCode.InvalidRequest } })
  }
  input.write(`${call}\n`)
  expect(await next()).toMatchObject({ id: 'ID', result: {} })
  input.end()
  await serving
})

requirement('envelope:transport:byte-streams', async (setting) => {
  const { input, next, serving } = serveByHand(serverWith(() => text('done')))
  const bytes = Buffer.from(`${JSON.stringify(callOf(setting, 'ü 1'))}\r\n\n${JSON.stringify(callOf(setting, 2))}\n`)
  // However the bytes are cut, a message is a line.
  for (const byte of bytes) input.write(Buffer.of(byte))
  expect((await next())['id']).toBe('ü 1')
  expect((await next())['id']).toBe(2)
  input.end()
  await serving
})

requirement('mode:stdio:probes-a-process', async (setting) => {
  await using client = await connect(setting, start([served]))
  expect(textOf(await client.callTool('add', { a: 1, b: 2 }))).toBe('3')
  const [first] = setting.wire.sent
  expect(first).toMatchObject({ method: setting.isModern ? 'server/discover' : 'initialize' })
  expect(client.protocolVersion).toBe(setting.version)
})

requirement('stdio:limits:long-argument-in-a-process', async (setting) => {
  for (const megabytes of [5, 20]) {
    await using client = await connect(setting, start([served]))
    const long = { a: 'x'.repeat(megabytes * 1024 * 1024), b: 1 }
    await expect(client.callTool('add', long)).rejects.toMatchObject({
      code: ErrorCode.InvalidRequest,
      data: { limit: 'maxLineBytes', max: 4 * 1024 * 1024 },
    })
    await expect(client.callTool('add', long)).rejects.toBeInstanceOf(LimitError)
    expect(textOf(await client.callTool('add', { a: 1, b: 2 }))).toBe('3')
  }
})

requirement('listen:again-after-a-restart', async (setting) => {
  const server = changingServer()
  const transport = pipedTransport(server)
  const first = await connect(setting, transport)
  const lost = await first.listen(TOOLS)
  await first.close()
  expect(await lost.next()).toMatchObject({ done: true })

  await using again = await connect(setting, transport)
  const subscription = await again.listen(TOOLS)
  await server.announce({ type: 'toolsListChanged' })
  expect(await take(subscription, 1)).toMatchObject([{ type: 'toolsListChanged' }])
  const listens = setting.wire.sent.filter((sent) => 'method' in sent && sent.method === 'subscriptions/listen')
  expect(listens).toHaveLength(2)
})

requirement('stdio:close:drains-while-waiting', async () => {
  const talk = await talkTo('answers-late', [], { shutdown: PATIENT })
  // The answer is more than a pipe holds: only if it is read can the child come to its end by itself.
  const call = talk.call('x').catch((error: unknown) => error)
  const kill = vi.spyOn(process, 'kill')
  await talk.dispatcher.close()
  const terminations = kill.mock.calls.filter(([, signal]) => signal === 'SIGTERM')
  kill.mockRestore()
  expect(terminations).toEqual([])
  expect(await call).toMatchObject({ code: ErrorCode.ConnectionClosed })
})

requirement('stdio:close:subscriptions-end-with-the-input', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  // Longer than this test may take: only the end of the subscription lets the server end.
  const serving = serveStdio(changingServer(), { input, output, drainMs: 600_000 })
  const params = { notifications: TOOLS, _meta: envelope() }
  input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params })}\n`)
  await serving

  const lines = String(output.read()).trim().split('\n')
  const messages = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(messages.map(({ method, id }) => method ?? id)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/cancelled',
    7,
  ])
  expect(messages.at(-1)).toHaveProperty('result.resultType', 'complete')
})

requirement('stdio:close:return-code-decides', async () => {
  await using talk = await talkTo('wrapper', ['ignores-everything', 'leaves'], { shutdown: HASTY })
  // The grandchild holds the pipes, so they never end; the child has exited all the same.
  await expect(talk.call('hang')).rejects.toMatchObject({ cause: { exitCode: 0 } })
})

requirement('stdio:close:whole-group', async () => {
  const talk = await talkTo('wrapper', ['ignores-everything'], { shutdown: HASTY })
  const [{ leader, grandchild }] = (await talk.noted(1)) as [{ leader: number; grandchild: number }]
  expect([leader, grandchild].map(isAlive)).toEqual([true, true])
  await talk.dispatcher.close()
  await expectGone(leader, grandchild)
})

requirement('stdio:close:ladder-survives-cancellation', async ({ isModern, wire }) => {
  const transport = start([CHILD, 'never-reads'], { shutdown: HASTY })
  const client = new Client(wire.wrapTransport(transport), { mode: isModern ? 'auto' : 'legacy' })
  const opening = client.open().catch((error: unknown) => error)
  await vi.waitFor(() => expect(wire.received).toHaveLength(1))
  await client.close()
  expect(await opening).toBeInstanceOf(Error)
  const [note] = wire.received as unknown as [{ params: { value: number } }]
  await expectGone(note.params.value)
})

requirement('stdio:write:failure-closes-the-read-side', async () => {
  await using talk = await talkTo('closes-input', [], { shutdown: HASTY })
  await talk.noted(1)
  await expect(talk.call('x')).rejects.toMatchObject({ code: ErrorCode.ConnectionClosed })
  await expect(talk.call('y')).rejects.toMatchObject({ code: ErrorCode.ConnectionClosed })
})

requirement('stdio:server:prints-stay-out', async (setting) => {
  const faults: Fault[] = []
  await using client = await connect(setting, start([launcher, served]), (fault) => faults.push(fault))
  await client.callTool('noise')
  await client.callTool('child')
  expect(textOf(await client.callTool('add', { a: 1, b: 2 }))).toBe('3')
  expect(faults).toEqual([])
})

requirement('stdio:server:closing-order', async (setting) => {
  const order: string[] = []
  const server = serverWith(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          order.push('handler is told')
          reject(new Error('given up'))
        })
      }),
  )
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = serveStdio(server, { input, output, drainMs: 10 })
  output.on('end', () => order.push('output ends'))
  output.on('data', (chunk) => {
    for (const line of String(chunk).trim().split('\n')) {
      if (JSON.parse(line).error !== undefined) order.push('last error')
    }
  })
  if (!setting.isModern) input.write(`${JSON.stringify(initialize(setting))}\n`)
  const params = { name: 'run', ...(setting.isModern && { _meta: envelope() }) }
  input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`)
  await serving
  await vi.waitFor(() => expect(order).toEqual(['handler is told', 'last error', 'output ends']))
})

const initialize = ({ version }: Setting) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

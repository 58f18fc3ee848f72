// No password of an engine and no secret of a server is in anything that an error, a fault, a log or an answer shows.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import type { BackendError } from '../../src/backend/backend-error.ts'
import type { Fault } from '../../src/dispatcher/fault.ts'
import { toFetch } from '../../src/http/to-fetch.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { nats } from '../../src/nats/nats.ts'
import { postgres } from '../../src/postgres/postgres.ts'
import { redis } from '../../src/redis/redis.ts'
import { createHandler } from '../../src/server/http/handler.ts'
import { describeEngine, useEngine } from './describe-engine.ts'
import { startNats } from './nats.ts'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'

const PASSWORD = 'tainted-password'
const SECRET = 'tainted-secret-of-the-seal-0123456789'
const TAINT = /tainted/
const OPTIONS = { timeoutMs: 300, namespace: 'n', seal: [SECRET] as const }

const open: { close(): unknown }[] = []
let written: string[] = []

beforeEach(() => {
  written = []
  const keep = (text: unknown) => written.push(String(text)) > 0
  vi.spyOn(process.stdout, 'write').mockImplementation(keep)
  vi.spyOn(process.stderr, 'write').mockImplementation(keep)
})

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
  vi.restoreAllMocks()
})

const ENGINES: readonly [string, (host: string) => Backend][] = [
  ['redis', (host) => redis(`redis://ada:${PASSWORD}@${host}/0`, OPTIONS)],
  ['postgres', (host) => postgres(`postgres://ada:${PASSWORD}@${host}/data`, OPTIONS)],
  ['nats', (host) => nats(`nats://ada:${PASSWORD}@${host}`, OPTIONS)],
]

/** What answers there. */
const SERVICES: readonly [string, (socket: Socket) => void][] = [
  ['ends at once', (socket) => void socket.destroy()],
  ['says nothing', (socket) => void socket.resume()],
  ['speaks HTTP', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['says what it was told', (socket) => void socket.pipe(socket)],
]

async function listen(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    answer(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** All that can be read of a value, whoever logs it. */
function textOf(value: unknown): string {
  const { stack, cause } = value as { stack?: unknown; cause?: unknown }
  const shown = inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null })
  return [shown, String(value), JSON.stringify(value), String(stack), inspect(cause, { depth: 20 })].join('\n')
}

/** The errors of an engine that cannot be used, and what a server on it shows to its author and to its clients. */
async function collect(make: () => Backend): Promise<string> {
  const faults: Fault[] = []
  const texts: string[] = []
  const backend = make()
  open.push(backend)
  const failed = await backend.open({ namespace: 'n' }).then(
    () => expect.fail('it opened'),
    (error: BackendError) => error,
  )
  expect(failed).toMatchObject({ name: 'BackendError', operation: 'open' })
  // One sentence or two for whoever reads the log, not a page.
  expect(failed.message.split('\n')).toHaveLength(1)
  texts.push(textOf(failed), textOf(backend), textOf(await backend.health()))
  for (const work of [
    () => backend.records.put('k', 'v', { ttlMs: 1_000 }),
    () => backend.tasks?.get('t'),
    () => backend.topics.publish('t', 'm'),
  ]) {
    try {
      await work()
    } catch (error) {
      texts.push(textOf(error))
    }
  }
  const server = new MCPServer('n', { backend, onFault: (fault) => void faults.push(fault) })
  const handler = createHandler(server)
  await handler.start().catch((error: unknown) => void texts.push(textOf(error)))
  const send = toFetch(handler)
  for (const path of ['ready', 'health', 'mcp']) {
    const response = await send(new Request(`http://localhost/${path}`))
    texts.push(await response.text(), JSON.stringify([...response.headers]))
  }
  await handler.close().catch((error: unknown) => void texts.push(textOf(error)))
  return [...texts, ...faults.map(textOf), textOf(server), ...written].join('\n')
}

describe('a service that is not the engine', () => {
  for (const [engine, make] of ENGINES) {
    it.each(SERVICES)(`${engine}: nothing shows the password or the secret where it %s`, async (_what, answer) => {
      const host = await listen(answer)
      expect(await collect(() => make(host))).not.toMatch(TAINT)
    })

    it(`${engine}: nothing shows them where nobody listens`, async () => {
      expect(await collect(() => make('127.0.0.1:1'))).not.toMatch(TAINT)
    })
  }
})

/** A TCP port that leads to a unix socket. */
const portTo = (path: string) =>
  listen((socket) => {
    const engine = connect(path)
    engine.on('error', () => {})
    engine.on('close', () => socket.destroy())
    socket.on('close', () => engine.destroy())
    socket.pipe(engine).pipe(socket)
  })

describeEngine('Redis', 'a Redis that rejects the password', () => {
  const engine = useEngine(() => startRedis())
  it('is shown without it', async () => {
    const host = await portTo(engine().socket)
    const shown = await collect(() => redis(`redis://ada:${PASSWORD}@${host}`, OPTIONS))
    expect(shown).toContain('rejects the user name or the password')
    expect(shown).not.toMatch(TAINT)
  })
})

describeEngine('NATS', 'a NATS that rejects the password', () => {
  const engine = useEngine(() => startNats({ config: 'authorization { user: bob, password: another }' }))
  it('is shown without it', async () => {
    const { host } = new URL(engine().url)
    const shown = await collect(() => nats(`nats://ada:${PASSWORD}@${host}`, OPTIONS))
    expect(shown).toContain('rejects the user, the password or the token')
    expect(shown).not.toMatch(TAINT)
  })
})

describeEngine('Postgres', 'a Postgres that rejects the user', () => {
  const engine = useEngine(() => startPostgres())
  it('is shown without the password', async () => {
    const host = encodeURIComponent(engine().host)
    const shown = await collect(() => postgres(`postgres://ada:${PASSWORD}@localhost/data?host=${host}`, OPTIONS))
    expect(shown).toContain('open failed')
    expect(shown).not.toMatch(TAINT)
  })
})

// What a backend on Redis says when it cannot open: which part of the URL is wrong, and never the password.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { BackendError } from '../../../src/backend/backend-error.ts'
import { redis } from '../../../src/redis/redis.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { ask, startRedis } from '../redis.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const open: { close(): unknown }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function failureOf(url: string, timeoutMs = PATIENT.timeoutMs): Promise<BackendError> {
  const backend = redis(url, { namespace: freshNamespace(), timeoutMs })
  open.push(backend)
  return backend.open().then(
    () => expect.fail('it opened'),
    (error: BackendError) => error,
  )
}

/** The port of a service that is no Redis. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return (server.address() as { port: number }).port
}

describeEngine('Redis', 'a URL of Redis that is wrong in one part', () => {
  const server = useEngine(() => startRedis())

  it('a database that does not exist is an error of open(), and nothing is stored in database 0', async () => {
    const failure = await failureOf(`${server().url}?db=99`)
    expect(failure).toMatchObject({ kind: 'refused', operation: 'open' })
    expect(failure.message).toBe(
      `Redis at ${server().socket} has no database 99. Change the URL, or raise databases in the settings of Redis.`,
    )
    expect(await ask(() => connect(server().socket), 'DBSIZE')).toBe(':0\r\n')
  })

  it('a database that exists is used', async () => {
    const backend = redis(`${server().url}?db=3`, { namespace: freshNamespace(), ...PATIENT })
    open.push(backend)
    await backend.open()
    await backend.records.put('k', 'v', { ttlMs: 60_000 })
    expect(await ask(() => connect(server().socket), 'INFO keyspace')).toContain('db3:keys=1')
  })

  it('a wrong password is named with the host, and not shown', async () => {
    const port = await listen((socket) => {
      const redisSocket = connect(server().socket)
      redisSocket.on('error', () => {})
      socket.pipe(redisSocket).pipe(socket)
    })
    const host = `127.0.0.1:${port}`
    const failure = await failureOf(`redis://ada:hunter2@${host}`)
    expect(failure).toMatchObject({ kind: 'refused' })
    expect(failure.message).toBe(`open failed. Redis at ${host} rejects the user name or the password.`)
  })
})

describe('a port where no Redis answers', () => {
  it('another service on the port is named as such', async () => {
    const port = await listen((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { message, kind } = await failureOf(`redis://:hunter2@127.0.0.1:${port}`)
    expect(kind).toBe('unavailable')
    expect(message).toContain(`what answers at 127.0.0.1:${port} is not Redis.`)
    expect(message).not.toMatch(/hunter2|report this/)
  })

  it('TLS on a port that does not speak it: the error says to check that', async () => {
    const port = await listen((socket) => void socket.resume())
    const { message } = await failureOf(`rediss://127.0.0.1:${port}`, 200)
    expect(message).toBe(
      `open failed, because Redis at 127.0.0.1:${port} has not answered in time. Check that this port speaks TLS. Without TLS the URL begins with redis:.`,
    )
    const other = await listen((socket) => void socket.once('data', () => socket.end('-ERR no TLS here\r\n')))
    expect((await failureOf(`rediss://127.0.0.1:${other}`)).message).toContain('does not speak TLS')
  })

  it('a port that takes a connection and says nothing: the error says to check for TLS', async () => {
    const port = await listen((socket) => void socket.resume())
    const { message } = await failureOf(`redis://127.0.0.1:${port}`, 200)
    expect(message).toContain('whether the port needs TLS (rediss:)')
  })
})

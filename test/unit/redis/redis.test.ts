// What redis() checks before anything is stored: options, URLs, the version and the settings of the server.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BackendError } from '../../../src/backend/backend-error.ts'
import { postgres } from '../../../src/postgres/postgres.ts'
import { readUrl } from '../../../src/redis/connection/url.ts'
import { redis } from '../../../src/redis/redis.ts'
import { sqlite } from '../../../src/sqlite/sqlite.ts'

type Replies = Readonly<Record<string, string | Error | undefined>>

/** A client in the shape of ioredis that answers each command with one reply. */
function fakeClient(replies: Replies = {}) {
  const nothing = () => {}
  const call = async (name: string) => {
    const reply = replies[name]
    if (reply instanceof Error) throw reply
    return reply ?? null
  }
  return {
    status: 'ready',
    isCluster: false,
    options: {},
    call,
    connect: async () => {},
    disconnect: nothing,
    on: nothing,
    off: nothing,
    duplicate: nothing,
  }
}

function info(facts: Readonly<Record<string, string>>): string {
  const all = {
    redis_version: '7.0.15',
    role: 'master',
    maxmemory_policy: 'noeviction',
    cluster_enabled: '0',
    ...facts,
  }
  return Object.entries(all)
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('')
}

async function openingOf(replies: Replies): Promise<BackendError | undefined> {
  return redis(fakeClient(replies))
    .open()
    .then(
      () => undefined,
      (error: BackendError) => error,
    )
}

afterEach(() => {
  vi.doUnmock('ioredis')
})

describe('redis()', () => {
  it('checks its options at construction', () => {
    const make = (options: object) => () => redis('redis://localhost', options)
    expect(make({ timeout: 1 })).toThrow('nearest known option is "timeoutMs"')
    expect(make({ timeoutMs: 0 })).toThrow(RangeError)
    expect(make({ maxValueBytes: -1 })).toThrow(RangeError)
    expect(make({ namespace: 'a b' })).toThrow(RangeError)
    expect(make({ namespace: 'a{b}' })).toThrow(RangeError)
    expect(make({ queues: 0 })).toThrow(RangeError)
    expect(make({ queues: 100_000 })).toThrow('at most 1024')
    expect(make({ durability: 'maybe' })).toThrow(`Use 'primary' or 'replicated'`)
    expect(make({ seal: ['short'] })).toThrow(RangeError)
    expect(() => redis({} as never)).toThrow('a client of ioredis, iovalkey or @redis/client')
  })

  it('names its own option in what it says about secrets', () => {
    const make = (seal: unknown) => () => redis('redis://localhost', { seal: seal as string[] })
    expect(make(['short'])).toThrow('seal[0] of redis() must have at least 32 bytes.')
    expect(make([])).toThrow('There is no secret in seal of redis(). Give at least one, or leave seal out.')
    expect(make([''])).toThrow('seal[0] of redis() is empty. Give at least 32 bytes. If it comes from an environment')
    expect(make([undefined])).toThrow('not undefined. If it comes from an environment variable')
  })

  it('without a URL, as of an environment variable that is not set: backends say what to give', () => {
    for (const nothing of [undefined, null, ''] as never[]) {
      for (const [name, make] of Object.entries({ redis, sqlite, postgres })) {
        expect(() => make(nothing)).toThrow(TypeError)
        expect(() => make(nothing)).toThrow(`${name}() takes a `)
        expect(() => make(nothing)).toThrow('If it comes from an environment variable, that variable is not set.')
      }
    }
    expect(() => redis(5 as never)).toThrow(
      'redis() takes a URL, or a client of ioredis, iovalkey or @redis/client, not',
    )
  })

  it('reads URLs, and shows no password of one that it cannot read', () => {
    expect(readUrl('redis://localhost').options).toEqual({ host: 'localhost', port: 6379 })
    expect(readUrl('rediss://ada:p%40ss@cache.example:6380/2')).toEqual({
      options: {
        host: 'cache.example',
        port: 6380,
        username: 'ada',
        password: 'p@ss',
        db: 2,
        tls: { servername: 'cache.example' },
      },
      shown: 'cache.example:6380',
      isLocal: false,
    })
    expect(readUrl('unix:///run/redis.sock').options).toEqual({ path: '/run/redis.sock' })
    expect(readUrl('/run/redis.sock')).toMatchObject({ options: { path: '/run/redis.sock' }, isLocal: true })
    expect(readUrl('redis://[::1]:7000')).toMatchObject({ options: { host: '::1', port: 7000 }, isLocal: true })
    expect(readUrl('valkeys://127.0.0.1')).toMatchObject({
      options: { tls: {} },
      isLocal: true,
    })
    expect(() => readUrl('redis://:a%secret@host')).toThrow('The URL of redis() has a % that begins no escape.')
    for (const text of [
      'redis://:a%secret@host',
      'redis://:secret@host:port',
      'http://:secret@host',
      'redis://:secret@host/db',
      'secret',
    ]) {
      expect(() => readUrl(text)).toThrow(TypeError)
      expect(() => readUrl(text)).not.toThrow('secret')
    }
  })

  it('names the command that installs ioredis where it is missing', async () => {
    vi.doMock('ioredis', () => {
      throw new Error('Cannot find package')
    })
    const failure = await redis('redis://127.0.0.1:1')
      .open()
      .catch((error: BackendError) => error)
    expect(failure).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('npm install ioredis') as string,
    })
  })

  it('refuses servers that are too old, and replicas', async () => {
    expect(await openingOf({ info: info({}) })).toBeUndefined()
    expect(await openingOf({ info: info({ redis_version: '6.2.0' }) })).toBeUndefined()
    const old = await openingOf({ info: info({ redis_version: '6.0.16' }) })
    expect(old).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Redis 6.0.16 is too old') as string,
    })
    const oldCluster = await openingOf({ info: info({ redis_version: '6.2.7', cluster_enabled: '1' }) })
    expect(oldCluster?.message).toContain('Use Redis 7.0')
    expect(await openingOf({ info: info({ role: 'slave' }) })).toMatchObject({ kind: 'refused' })
  })

  it('goes without its checks where the user of Redis may not ask for INFO', async () => {
    expect(await openingOf({ info: new Error('NOPERM this user has no permissions to run INFO') })).toBeUndefined()
  })

  it('names what Redis replies, without the command that it was the reply to', async () => {
    const replies: Replies = {
      info: info({}),
      get: Object.assign(new Error('MISCONF Redis cannot save'), { command: { args: ['k', 'secret'] } }),
    }
    const failure = (await Promise.resolve(redis(fakeClient(replies)).records.get('k')).catch(
      (error: unknown) => error,
    )) as BackendError
    expect(failure).toMatchObject({ kind: 'refused', operation: 'records.get', outcome: 'not-done' })
    expect(JSON.stringify([failure, failure.cause])).not.toContain('secret')
    expect(failure.cause).not.toHaveProperty('command')
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect as connectNats } from '@nats-io/transport-node'
import { build } from 'esbuild'
import { Cluster, Redis } from 'ioredis'
import { Client } from 'pg'
import { expect, it, vi } from 'vitest'
import { describeEngine, useEngine } from './describe-engine.ts'
import { EngineProcess, makeFolder } from './engine-process.ts'
import { startNats } from './nats.ts'
import { startRedis } from './redis.ts'
import { startRedisCluster } from './redis-cluster.ts'
import { sharedPostgres } from './shared.ts'

describeEngine('Redis', 'engines in tests: Redis', () => {
  const server = useEngine(() => startRedis({ appendOnly: true }))

  it('serves on a unix socket, and keeps what it has when it is killed and started again', async () => {
    const client = new Redis(server().socket)
    await client.set('a', '1')
    client.disconnect()
    await server().process.stop('SIGKILL')
    expect(() => server().process.pid).toThrow('does not run')
    await server().process.start()
    const again = new Redis(server().socket)
    expect(await again.get('a')).toBe('1')
    again.disconnect()
  })

  it('ends with the process that started it, also by kill -9', async () => {
    const folderOfProgram = mkdtempSync(join(tmpdir(), 'start-redis-'))
    const program = join(folderOfProgram, 'start-redis.mjs')
    const entry = fileURLToPath(new URL('start-redis.ts', import.meta.url))
    await build({ entryPoints: [entry], outfile: program, bundle: true, format: 'esm', platform: 'node' })
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [text] = (await once(child.stdout, 'data')) as [Buffer]
    const { pid, folder } = JSON.parse(text.toString()) as { pid: number; folder: string }
    expect(existsSync(folder)).toBe(true)
    child.kill('SIGKILL')
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow())
    await vi.waitFor(() => expect(existsSync(folder)).toBe(false))
    rmSync(folderOfProgram, { recursive: true })
  })
})

describeEngine('Redis', 'engines in tests: a Redis cluster', () => {
  const cluster = useEngine(startRedisCluster)

  it('shares the slots among three nodes', async () => {
    const client = new Cluster([{ host: '127.0.0.1', port: cluster().ports[0] as number }])
    for (const key of ['a', 'b', 'c', 'd']) await client.set(key, key)
    for (const key of ['a', 'b', 'c', 'd']) expect(await client.get(key)).toBe(key)
    expect(client.nodes('master')).toHaveLength(3)
    client.disconnect()
  })
})

describeEngine('NATS', 'engines in tests: NATS', () => {
  const server = useEngine(() => startNats())

  it('serves JetStream on a port of its own', async () => {
    const connection = await connectNats({ servers: server().url })
    expect(connection.info).toMatchObject({ jetstream: true })
    await connection.close()
  })
})

describeEngine('Postgres', 'engines in tests: Postgres', () => {
  it('is shared by all files of a run, each with a database of its own', async () => {
    const { host, user, database, url } = await sharedPostgres()
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`create database ${database}`)
    await client.end()
    const own = new Client({ host, user, database })
    await own.connect()
    expect((await own.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await own.end()
    expect((await sharedPostgres()).host).toBe(host)
  })
})

it.each([true, false])(
  'an engine that ends at its start is started again where that was too early: %s',
  async (isTooEarly) => {
    const engine = new EngineProcess(makeFolder(), {
      path: 'sh',
      args: ['-c', '[ -e once ] && echo ready && exec sleep 600; touch once; echo the old one has not ended'],
      isReady: (log) => log.includes('ready'),
      isTooEarly: (log) => isTooEarly && log.includes('the old one has not ended'),
    })
    if (isTooEarly) await engine.start()
    else await expect(engine.start()).rejects.toThrow('the old one has not ended')
    expect(engine.log.includes('ready')).toBe(isTooEarly)
    await engine.close()
  },
)

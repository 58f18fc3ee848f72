// What docs/redis.md says about rights and memory.
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { describe, expect, it, test } from 'vitest'
import { redis } from '../../../src/redis/redis.ts'
import { backendContract } from '../../../src/testing/backend-contract/contract.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { ask, startRedis } from '../redis.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const TTL = 1_800_000

describeEngine('Redis', 'a user of Redis with the rights in docs/redis.md', () => {
  const server = useEngine(async () => {
    const started = await startRedis()
    const document = readFileSync(new URL('../../../docs/redis.md', import.meta.url), 'utf8')
    const [line = ''] = /^ACL SETUSER mcp .*$/m.exec(document) ?? []
    // One namespace for each case, all with the same beginning.
    const reply = await ask(() => connect(started.socket), line.replaceAll('calculator:*', 'calculator*'))
    expect(reply).toBe('+OK\r\n')
    return started
  })

  backendContract(
    () => {
      const options = { namespace: `calculator-${freshNamespace()}`, ...PATIENT }
      const another = () => redis(`unix://mcp:password@localhost${server().socket}`, options)
      return { backend: another(), another }
    },
    { describe, test },
  )

  it('reads nothing of another namespace', async () => {
    const url = `unix://mcp:password@localhost${server().socket}`
    const other = redis(url, { namespace: 'weather', ...PATIENT })
    await expect(other.records.get('k')).rejects.toMatchObject({ kind: 'refused', operation: 'records.get' })
    await other.close()
  })
})

describeEngine('Redis', 'memory that Redis needs', () => {
  const server = useEngine(() => startRedis())

  it('D049 (redis): at most 600 bytes for a session and 1,500 for a log of three events', async () => {
    const backend = redis(server().url, { namespace: 'calculator', ...PATIENT })
    const digest = 'd'.repeat(43)
    await backend.records.put(`s:${digest}`, 'r'.repeat(304), { ttlMs: TTL })
    for (const seq of [1, 2, 3]) {
      const options = { writer: 'n'.repeat(12), ttlMs: TTL, isLast: seq === 3 }
      await backend.logs.append(`l:${digest}`, { seq, data: 'e'.repeat(299) }, options)
    }
    await backend.close()
    const client = new Redis(server().socket)
    const sizes = await Promise.all(
      [`calculator:v1:r:s:${digest}`, `calculator:v1:l:{l:${digest}}`].map((key) => client.memory('USAGE', key)),
    )
    client.disconnect()
    expect(sizes[0]).toBeLessThanOrEqual(600)
    expect(sizes[1]).toBeLessThanOrEqual(1_500)
    expect(sizes[1]).toBeGreaterThan(900)
  })
})

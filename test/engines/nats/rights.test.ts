// What docs/nats.md says about permissions.
import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { nats } from '../../../src/nats/nats.ts'
import { backendContract } from '../../../src/testing/backend-contract/contract.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { describeInFull } from '../full.ts'
import { startNats } from '../nats.ts'
import { freshNamespace, MAX_VALUE_BYTES, PATIENT, withTasks } from './clients.ts'

const TTL = 3_600_000

/** A server with the user of the documentation, for these namespaces. */
function startWithUser(namespaces: readonly string[]) {
  const document = readFileSync(new URL('../../../docs/nats.md', import.meta.url), 'utf8')
  const [user = ''] = /^\{\n {2}user: mcp[\s\S]*?^\}/m.exec(document) ?? []
  const lines = (list: string) => namespaces.map((namespace) => list.replaceAll('calculator', namespace)).join('\n')
  const rights = user.replace(/\[([\s\S]*?)\]/g, (_, list: string) => `[${lines(list)}\n]`)
  return startNats({ config: `accounts { A { jetstream: enabled, users: [ ${rights} ] } }` })
}

const urlFor = (url: string) => url.replace('nats://', 'nats://mcp:password@')

describeEngine('NATS', 'a user of NATS with the permissions in docs/nats.md', () => {
  const server = useEngine(() => startWithUser(['calculator']))

  it('can do everything in its namespace, and nothing in another', async () => {
    const backend = withTasks(nats(urlFor(server().url), { namespace: 'calculator', ...PATIENT }))
    await backend.open({ namespace: 'calculator' })
    const heard: string[] = []
    await backend.topics.subscribe('t', { message: (text) => void heard.push(text), missed: () => {} }).ready
    await backend.topics.publish('t', 'm')
    await backend.records.put('k', 'v', { ttlMs: TTL, if: 'absent' })
    expect(await backend.records.delete('k')).toBe(true)
    await backend.logs.post('l', 'e', { writer: 'w', nth: 1, ttlMs: TTL, maxEntries: 9, maxBytes: 999 })
    await backend.logs.drop('l')
    const task = { id: 'one', owner: 'ada', kind: 'report', dialect: 'core', input: 'x'.repeat(5_000) }
    await backend.tasks.create({ ...task, ttlMs: TTL, keepMs: TTL, pollIntervalMs: 500, maxAttempts: 1 })
    const [claim] = await backend.tasks.claim('w', { kinds: ['report'], max: 1, leaseMs: TTL })
    expect(await backend.tasks.finish(claim as never, { status: 'completed', text: '{}' })).toBe('finished')
    expect(await backend.tasks.list('ada', { dialect: 'core', limit: 5 })).toMatchObject([{ id: 'one' }])
    // Writes enough that what is over is looked for.
    for (let n = 0; n < 300; n += 1) await backend.records.put('one', 'v', { ttlMs: TTL })
    expect(heard).toEqual(['m'])
    expect(await backend.health()).toMatchObject({ isReady: true })
    await backend.close()
    const other = nats(urlFor(server().url), { namespace: 'weather', ...PATIENT })
    await expect(other.open()).rejects.toMatchObject({ kind: 'refused', operation: 'open' })
    await other.close()
  })
})

describeEngine('NATS', 'the contract with the permissions in docs/nats.md', () => {
  const namespaces = Array.from({ length: 250 }, () => freshNamespace())
  const server = useEngine(() => startWithUser(namespaces))
  describeInFull('by a URL', () => {
    let next = 0
    backendContract(
      () => {
        const options = { namespace: namespaces[next++] as string, ...PATIENT }
        const another = () => nats(urlFor(server().url), options)
        return { backend: another(), another, maxValueBytes: MAX_VALUE_BYTES }
      },
      { describe, test },
    )
  })
})

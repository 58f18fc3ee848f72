// A node that a network cuts off from Redis without a word to either: packets are dropped, connections stay as they are.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { redis } from '../../../src/redis/redis.ts'
import { bundleProgram } from '../../support/bundle.ts'
import { startProgram } from '../../support/child.ts'
import { freePort } from '../../support/free-port.ts'
import { describeEngine } from '../describe-engine.ts'
import { describeInFull } from '../full.ts'
import { type NamespaceNetwork, openNamespaceNetwork } from '../namespace-network.ts'
import { type RedisServer, startRedis } from '../redis.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const TIMEOUT_MS = 1_000

/** Appends one entry after the other, each until it is stored, and hears what is published. */
const PROGRAM = `
import { setTimeout as delay } from 'node:timers/promises'
import { redis } from './src/redis/redis.ts'

const backend = redis(process.env.BACKEND_URL, { namespace: process.env.NAMESPACE, timeoutMs: ${TIMEOUT_MS} })
const say = (text) => console.log(text)
await backend.open()
await backend.topics.subscribe('t', { message: (text) => say('heard ' + text), missed: () => say('missed') }).ready
for (let seq = 1; ; ) {
  const startedAt = performance.now()
  try {
    const outcome = await backend.logs.append('l', { seq, data: 'e' + seq }, { writer: 'w', ttlMs: 3_600_000 })
    say(outcome + ' ' + seq)
    seq += 1
  } catch (error) {
    say('failed ' + error.kind + ' ' + Math.round(performance.now() - startedAt) + ' ms')
  }
  await delay(20)
}
`

describeInFull('a network that drops what is sent', () => {
  describeEngine('Redis', 'between a node and Redis', () => {
    let network: NamespaceNetwork | undefined
    let server: RedisServer
    let port = 0

    beforeAll(async () => {
      network = openNamespaceNetwork()
      if (network === undefined) return
      port = await freePort()
      const args = ['--port', String(port), '--bind', network.address, '--protected-mode', 'no']
      server = await startRedis({ args })
    })
    afterAll(async () => {
      network?.close()
      await server?.close()
    })

    it('D006, D007 (redis): a node that is cut off fails by its deadline, and goes on when the network is mended: nothing is doubled or lost', async ({
      skip,
    }) => {
      if (network === undefined) return skip('network namespaces cannot be made here (needs root and iproute2)')
      const namespace = freshNamespace()
      const program = await bundleProgram('redis-partition', PROGRAM)
      const [command, ...args] = [...network.command, process.execPath, program]
      const env = { BACKEND_URL: `redis://${network.address}:${port}`, NAMESPACE: namespace }
      const child = startProgram(command, args, env)
      const other = redis(server.url, { ...PATIENT, namespace })
      onTestFinished(async () => {
        child.process.kill('SIGKILL')
        await child.ended
        await other.close()
      })
      const printed = () => child.output.stdout
      const last = () =>
        Number(/(?:kept|already) (\d+)\n$/.exec(printed().replace(/(?:failed|heard|missed).*\n/g, ''))?.[1])
      await child.printed('kept 5\n')
      for (let round = 1; round <= 3; round += 1) {
        network.cut()
        const before = printed().length
        await expect.poll(() => /failed \w+ (\d+) ms/.exec(printed().slice(before))?.[1]).toBeDefined()
        const [, ms] = /failed \w+ (\d+) ms/.exec(printed().slice(before)) ?? []
        // Far below what TCP takes to give up, which is minutes.
        expect(Number(ms)).toBeLessThan(20 * TIMEOUT_MS)
        // The others go on meanwhile.
        await other.topics.publish('t', `meanwhile ${round}`)
        expect(await other.records.put('k', 'v', { ttlMs: 60_000 })).toBeTypeOf('string')
        const stored = last()
        network.mend()
        await expect.poll(last).toBeGreaterThan(stored + 3)
        await expect
          .poll(async () => {
            await other.topics.publish('t', `after ${round}`)
            return printed()
          })
          .toContain(`heard after ${round}\n`)
        // What was published meanwhile came late, or the node was told that something did not.
        expect(printed()).toMatch(new RegExp(`heard meanwhile ${round}\\n|missed\\n`))
      }
      child.process.kill('SIGKILL')
      await child.ended
      expect(printed()).not.toContain('conflict')
      const page = await other.logs.read('l', 0)
      const entries = page?.entries.map(({ data }) => data) ?? []
      expect(entries.length).toBeGreaterThanOrEqual(last())
      expect(entries).toEqual(entries.map((_, index) => `e${index + 1}`))
    })
  })
})

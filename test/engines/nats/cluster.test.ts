// The backend on a cluster of NATS, everything stored on three servers: one of them can be lost at any moment.
import { expect, it } from 'vitest'
import { nats } from '../../../src/nats/nats.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { newTask, untilDone } from '../failing-engine.ts'
import { describeInFull } from '../full.ts'
import { startNatsCluster } from '../nats-cluster.ts'
import { freshNamespace, withTasks } from './clients.ts'

const TTL = 3_600_000
const DONE = { status: 'completed', text: '{}' } as const

describeEngine('NATS', 'mcpwire/nats on three servers, with replicas: 3', () => {
  describeInFull('a server that is lost', () => {
    const cluster = useEngine(startNatsCluster)

    it('D010, D011, D012 (nats): takes no record, event or outcome with it, whichever server it is', async () => {
      const backend = withTasks(nats(cluster().urls, { namespace: freshNamespace(), replicas: 3 }))
      await backend.open()
      let seq = 0
      for (const server of cluster().servers) {
        const task = newTask()
        await untilDone(() => backend.tasks.create(task))
        const [claim] = await untilDone(() => backend.tasks.claim('w', { kinds: ['report'], max: 1, leaseMs: 60_000 }))
        expect(await untilDone(() => backend.tasks.finish(claim as never, DONE))).toMatch(/finished|already/)
        await untilDone(() => backend.records.put(`k${seq}`, 'v', { ttlMs: TTL }))
        seq += 1
        const entry = { seq, data: `e${seq}` }
        const append = () => backend.logs.append('l', entry, { writer: 'w', ttlMs: TTL })
        expect(await untilDone(append)).toMatch(/kept|already/)
        await server.process.stop('SIGKILL')
        expect(await untilDone(() => backend.tasks.get(task.id))).toMatchObject({ status: 'completed', outcome: '{}' })
        expect(await untilDone(() => backend.records.get(`k${seq - 1}`))).toMatchObject({ value: 'v' })
        const page = await untilDone(() => backend.logs.read('l', 0))
        expect(page?.entries.map(({ data }) => data)).toEqual(
          Array.from({ length: seq }, (_, index) => `e${index + 1}`),
        )
        await server.process.start()
      }
      await backend.close()
    }, 120_000)
  })
})

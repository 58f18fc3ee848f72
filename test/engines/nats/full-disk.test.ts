// A disk that is really full: JetStream is on a small file system of its own, where one can be made. nats-server 2.9 then answers
// nothing any more, and has to be started again.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { BackendError } from '../../../src/backend/backend-error.ts'
import { nats } from '../../../src/nats/nats.ts'
import { freePort } from '../../support/free-port.ts'
import { describeEngine } from '../describe-engine.ts'
import { untilDone } from '../failing-engine.ts'
import { describeInFull } from '../full.ts'
import { startNats } from '../nats.ts'
import { mountSmall } from '../small-disk.ts'
import { freshNamespace } from './clients.ts'

const TTL = 3_600_000
const MOST_WRITES = 10_000

describeInFull('a full disk', () => {
  describeEngine('NATS', 'of NATS', () => {
    it('D014 (nats): fails writes in time, is not ready, and has what it acknowledged once there is space', async ({
      skip,
    }) => {
      const folder = mountSmall('NATS', 8)
      if (folder === undefined) return skip()
      const server = await startNats({ port: await freePort(), maxFileStore: '64MB', storeDir: join(folder, 'data') })
      const backend = nats(server.url, { namespace: freshNamespace() })
      onTestFinished(async () => {
        await backend.close()
        await server.close()
      })
      const filler = join(folder, 'filler')
      await backend.open()
      writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024))
      const kept: string[] = []
      let failure: BackendError | undefined
      for (let n = 0; n < MOST_WRITES && failure === undefined; n += 1) {
        try {
          await backend.records.put(`k${n}`, 'x'.repeat(32_000), { ttlMs: TTL })
          kept.push(`k${n}`)
        } catch (error) {
          failure = error as BackendError
        }
      }
      expect(failure).toMatchObject({ operation: 'records.put' })
      expect(['refused', 'timeout', 'unavailable']).toContain(failure?.kind)
      expect(await backend.health()).toMatchObject({ isReady: false })
      rmSync(filler)
      await server.process.stop('SIGKILL')
      await server.process.start()
      await untilDone(() => backend.records.put('after', 'v', { ttlMs: TTL }))
      expect(await backend.health()).toMatchObject({ isReady: true })
      const found = await Promise.all(kept.map((key) => backend.records.get(key)))
      expect(found.filter((record) => record === undefined)).toEqual([])
    }, 120_000)
  })
})

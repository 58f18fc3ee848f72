// `toFetch` on workerd, the runtime of Cloudflare Workers: the built package, bundled as for a Worker, driven over a socket.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'mcpwire'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOn } from './installed.ts'
import { ANSWERS, MODES, SEEN, talk } from './programs/talk.ts'
import { startWorkerd, type Workerd } from './workerd.ts'

const START_LIMIT_MS = 150_000

describeOn('workerd', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-workerd-'))
  let workerd: Workerd | undefined
  let url = ''

  beforeAll(async () => {
    workerd = await startWorkerd(program, fileURLToPath(new URL('programs/worker.ts', import.meta.url)), folder)
    url = workerd.url
  }, START_LIMIT_MS)

  afterAll(async () => {
    await workerd?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  // Not tasks: the runtime stops what a request has begun when its response is sent.
  it.each(Object.entries(MODES))('F213 serves the %s era', async (_era, mode) => {
    const client = await Client.connect(url, { mode, ...ANSWERS })
    try {
      expect(await talk(client)).toEqual(SEEN)
    } finally {
      await client.close()
    }
  })
})

// A node that announces 10,000 changes a second, and what hearing of them costs another one with a client that watches.
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '../../src/client/client.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import type { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { serverOf } from '../../src/server/http/handler.ts'
import { goal } from '../measure.ts'
import { type BenchNode, JSON_PATH } from './node.ts'

const SECONDS = 5
const PER_TURN = 200
const TURN_MS = 20
const URIS = Array.from({ length: 40 }, (_, index) => `bench://${index}`)

/** Resolves when they have all been announced. */
export async function announce(server: MCPServer): Promise<void> {
  const core = serverOf(server)
  const startedAt = performance.now()
  for (let turn = 1; turn * TURN_MS <= SECONDS * 1_000; turn += 1) {
    for (let nth = 1; nth < PER_TURN; nth += 1) {
      void core.announce({ type: 'resourceUpdated', uri: URIS[(turn + nth) % URIS.length] as string })
    }
    void core.announce({ type: 'toolsListChanged' })
    await delay(Math.max(0, startedAt + turn * TURN_MS - performance.now()))
  }
}

export async function measureChanges(announcing: BenchNode, receiving: BenchNode): Promise<void> {
  const client = await Client.connect(streamableHttp(`http://127.0.0.1:${receiving.port}${JSON_PATH}`))
  const subscription = await client.listen({ resourceSubscriptions: URIS, toolsListChanged: true })
  let heard = 0
  const hearing = (async () => {
    for await (const _ of subscription) heard += 1
  })()
  const before = await receiving.usage('cpu')
  const startedAt = performance.now()
  await announcing.usage('announce')
  const seconds = (performance.now() - startedAt) / 1_000
  const after = await receiving.usage('cpu')
  await subscription.close()
  await hearing
  await client.close()
  const rate = (SECONDS * 1_000 * PER_TURN) / TURN_MS / seconds
  console.log(
    `\n${rate.toFixed(0)} changes a second on one node, and a client of another that watches 40 resources and a list`,
  )
  console.log(`  ${(heard / seconds).toFixed(0)} of them are told to the client in a second, each the last of several`)
  goal('part of a processor that a node needs to receive them', (after.cpu - before.cpu) / 1e6 / seconds, 0.2)
}

// Streams of nodes on one SQLite file: it answers at once, except while another process writes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { toFetch } from '../../src/http/to-fetch.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred, type Deferred } from '../../src/primitives/async/promises.ts'
import { createHandler, type ServerHandler } from '../../src/server/http/handler.ts'
import { sqlite } from '../../src/sqlite/sqlite.ts'
import { bundleProgram } from '../support/bundle.ts'
import { startNode } from '../support/child.ts'
import { RawClient, StreamReader } from './cluster.ts'

/** Holds the lock of the file until it is killed. */
const LOCKING = `
  import { findDatabaseClass } from './src/sqlite/engine/database.ts'
  const Database = await findDatabaseClass()
  const database = new Database(process.argv[2])
  database.exec('PRAGMA busy_timeout = 10000')
  database.exec('BEGIN IMMEDIATE')
  console.log('locked')
  setInterval(() => {}, 60_000)
`

test('calls that are answered as a stream end on every node after another process had locked the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'state.db')
  const gates: Deferred<void>[] = []
  const appends: (() => unknown)[] = []
  const start = async (index: number): Promise<ServerHandler> => {
    const backend = sqlite(file, { timeoutMs: 60_000 })
    appends.push(() => append.mock.results[0])
    const append = vi.spyOn(backend.logs, 'append')
    const server = new MCPServer('streams', { backend, logging: true, onFault: () => {} })
    server.tool('work', async (_, ctx) => {
      await gates[index]?.promise
      await ctx.log.info('working')
      return `from node ${index}`
    })
    const handler = createHandler(server)
    onTestFinished(() => handler.close({ drainMs: 0 }))
    await handler.start()
    return handler
  }
  const nodes = [await start(0), await start(1)].map((handler) => ({ fetch: toFetch(handler) }))
  const client = await RawClient.open({ nodes })
  const messagesOf = async (response: Promise<Response>) => {
    const reader = new StreamReader(await response)
    return [await reader.next(), await reader.next(), await reader.next()]
  }
  const answerOf = (node: number) => [
    { params: { data: 'working' } },
    { result: { content: [{ text: `from node ${node}` }] } },
    undefined,
  ]

  gates.push(createDeferred(), createDeferred())
  const waiting = [0, 1].map((node) => client.tool(node, 'work'))
  const other = startNode([await bundleProgram('sqlite-locking', LOCKING), file])
  await other.printed('locked')
  for (const gate of gates) gate.resolve()
  for (const appended of appends) await expect.poll(appended).toMatchObject({ value: expect.any(Promise) })
  other.process.kill('SIGKILL')
  await other.ended
  for (const node of [0, 1]) expect(await messagesOf(waiting[node]!)).toMatchObject(answerOf(node))

  for (const node of [0, 1, 0, 1]) expect(await messagesOf(client.tool(node, 'work'))).toMatchObject(answerOf(node))
})

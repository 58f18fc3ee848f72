// Closing a client over HTTP: at any moment, and nothing is left open, neither a connection nor a timer.
import { expect, it, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../../../../src/node/http/to-node-handler.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import { serveLocally } from '../../http/local-server.ts'

/** More than enough for every machine: a client comes to its calls within a few dozen turns. */
const MOST_MOMENTS = 400

function countOf(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

it.each(['auto', 'legacy'] as const)('F162 in mode %s', async (mode) => {
  let started = 0
  const mcp = new MCPServer('slow')
  mcp.tool('wait', {}, (_args, { signal, reportProgress }) => {
    started += 1
    void reportProgress(1)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('gone'))))
  })
  const handler = createHandler(mcp)
  const server = await serveLocally(toNodeHandler(handler))
  const timersBefore = countOf('Timeout')
  // Later and later, until some clients have come as far as their calls.
  for (let moment = 0; started < 20 && moment < MOST_MOMENTS; moment += 1) {
    const client = new Client(`${server.origin}/mcp`, { mode })
    const work = (async () => {
      await client.open()
      const calls = [client.listTools(), client.callTool('wait'), client.callTool('wait')]
      if (mode === 'auto') calls.push(client.listen({ toolsListChanged: true }) as never)
      await Promise.allSettled(calls)
    })().catch(() => {})
    for (let turns = 0; turns < moment; turns += 1) await turn()
    await client.close()
    await work
  }
  expect(started).toBeGreaterThanOrEqual(20)
  await vi.waitFor(() => expect(server.open.size).toBe(0))
  await handler.close()
  await server.close()
  await vi.waitFor(() => expect(countOf('Timeout')).toBeLessThanOrEqual(timersBefore))
  expect(countOf('TCPSocketWrap')).toBe(0)
})

// A source that is another server when it is back: of another era, or of another revision.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { createHandler, toNodeHandler } from '../../../src/exports/node.ts'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import type { ProtocolVersion } from '../../../src/types/protocol/versions.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

/** An address at which one server stands after the other. */
async function address() {
  let answer: ReturnType<typeof toNodeHandler> | undefined
  const http = createServer((request, response) => answer?.(request, response))
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  open.push({ close: () => http.close() && http.closeAllConnections() })
  const become = (versions: readonly ProtocolVersion[]) => {
    const server = new MCPServer('source', { supportedVersions: versions, onFault: () => {} })
    const calls: unknown[] = []
    server.tool('count', (_args, ctx) => {
      calls.push(ctx.protocolVersion)
      return versions.join()
    })
    answer = toNodeHandler(createHandler(server))
    return calls
  }
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, become }
}

it.each([
  ['legacy', 'proxy'],
  ['legacy', 'gateway'],
  ['modern', 'proxy'],
  ['modern', 'gateway'],
] as const)('compose X39 %s clients of a %s reach what the source has become', async (mode, kind) => {
  const { url, become } = await address()
  become(['2025-11-25'])
  const options = { onFault: () => {} }
  const front = kind === 'proxy' ? createProxy(url, options) : createGateway({ s: url }, options)
  const client = (await Client.connect(front, { mode, onFault: () => {} })) as Client
  open.push(front, client)
  const name = kind === 'proxy' ? 'count' : 's_count'
  await client.callTool(name)
  for (const versions of [['2026-07-28'], ['2025-11-25'], ['2024-11-05'], ['2025-06-18'], ['2026-07-28']] as const) {
    const calls = become(versions)
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([name])
    expect((await client.callTool(name)).content).toEqual([{ type: 'text', text: versions.join() }])
    expect(calls).toHaveLength(1)
  }
  // A call that the source refuses with its connection is made once, on the next one.
  const calls = become(['2025-11-25'])
  expect((await client.callTool(name)).content).toEqual([{ type: 'text', text: '2025-11-25' }])
  expect(calls).toHaveLength(1)
})

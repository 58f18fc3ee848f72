// The index of a search is built once for each list, and again when the list is another one.
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { codeMode, hide, searchTools } from '../../../src/exports/transforms.ts'

const COUNT = 300
const TRANSFORMS = [
  ['searchTools()', () => searchTools()],
  ['codeMode()', () => codeMode()],
] as const

function stocked() {
  const server = new MCPServer('shop', { onFault: () => {} })
  for (let at = 0; at < COUNT; at += 1) server.tool(`item_${at}`, { description: `Sells ${at}` }, () => at)
  return server
}

/** Texts that were split into words: some for the query, and several for each tool of a new index. */
async function wordsRead(search: () => Promise<unknown>): Promise<number> {
  const match = vi.spyOn(String.prototype, 'match')
  try {
    await search()
    return match.mock.calls.length
  } finally {
    match.mockRestore()
  }
}

describe.each(TRANSFORMS)('compose T10 the index of %s', (_name, transform) => {
  it.each(['plain', 'with middleware', 'with another transform', 'of a proxy'])('is built once: %s', async (how) => {
    const server = stocked()
    if (how === 'with another transform') server.transform(hide(['item_7']))
    const front = how === 'of a proxy' ? createProxy(server, { mode: 'legacy', cache: { listMs: 60_000 } }) : server
    front.transform(transform())
    if (how === 'with middleware') front.use((_ctx, next) => next())
    await using client = await Client.connect(front)
    const search = () => client.callTool('search_tools', { query: 'item 9' })
    expect(await wordsRead(search)).toBeGreaterThan(COUNT)
    expect(JSON.stringify(await search())).toContain('item_9')
    expect(await wordsRead(search)).toBeLessThan(COUNT)
    server.tool('latest', { description: 'Comes last' }, () => 'x')
    expect(JSON.stringify(await client.callTool('search_tools', { query: 'latest' }))).toContain('Comes last')
    expect(await wordsRead(search)).toBeLessThan(COUNT)
  })
})

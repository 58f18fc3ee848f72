// What it costs until a program runs: imports, the first result, bundles.
import { compareBundles } from './bundles.ts'
import type { Spread } from './figures.ts'
import { installPeers } from './install-peers.ts'
import type { PlannedRow } from './rows.ts'
import { compareImports, fileUrl } from './starts.ts'
import { compareFirstResults } from './stdio-calls.ts'

const peers = installPeers()
const withPeer = <T>(name: string, use: (path: string) => T): T[] =>
  peers[name] === undefined ? [] : [use(peers[name])]

const TOOL = "server.tool('hello', {}, () => 'hello')"
const SERVERS = {
  mcpwire: `import { createHandler, MCPServer, toFetch } from 'mcpwire/server'
    const server = new MCPServer('bench'); ${TOOL}
    export default { fetch: toFetch(createHandler(server)) }`,
  'official v2, with zod': `import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'; import { z } from 'zod'
    export default createMcpHandler(() => {
      const server = new McpServer({ name: 'bench', version: '1.0.0' })
      server.registerTool('hello', { inputSchema: z.object({}) }, () => ({ content: [{ type: 'text', text: 'hello' }] }))
      return server
    })`,
}
const CLIENTS = {
  mcpwire: `import { Client } from 'mcpwire/client'
    const client = await Client.connect('http://localhost/mcp'); console.log(await client.callTool('hello'))`,
  'official v2': `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
    const client = new Client({ name: 'bench', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp')))
    console.log(await client.callTool({ name: 'hello' }))`,
}

export const START_ROWS: readonly PlannedRow[] = [
  {
    title: 'import: mcpwire beside mcp-lite',
    unit: '×',
    goal: 1.3,
    ours: 'mcpwire',
    measure: (isQuick) => imports({ mcpwire: ['mcpwire'] }, isQuick),
  },
  {
    title: 'import: mcpwire with mcpwire/node beside mcp-lite',
    unit: '×',
    goal: 1.8,
    ours: 'mcpwire, mcpwire/node',
    measure: (isQuick) => imports({ 'mcpwire, mcpwire/node': ['mcpwire', 'mcpwire/node'] }, isQuick),
  },
  {
    title: 'start: from the start of a process to its first result over stdio, JSON Schema',
    unit: '×',
    goal: 1.3,
    ours: 'mcpwire, JSON Schema',
    measure: (isQuick) => compareFirstResults(['bare', 'mcpwire, JSON Schema'], isQuick ? 3 : 15),
  },
  {
    title: 'start: from the start of a process to its first result over stdio, zod',
    unit: '×',
    goal: 2.05,
    ours: 'mcpwire',
    measure: (isQuick) => compareFirstResults(['bare', 'bare, zod', 'mcpwire', 'official v2'], isQuick ? 3 : 15),
  },
  {
    title: 'bundle: a minimal server for fetch, gzip',
    unit: 'KB',
    goal: 55,
    ours: 'mcpwire',
    measure: () => compareBundles(SERVERS, 'browser'),
  },
  {
    title: 'bundle: a client in a browser, gzip',
    unit: 'KB',
    goal: 40,
    ours: 'mcpwire',
    measure: () => compareBundles(CLIENTS, 'browser'),
  },
]

function imports(ours: Readonly<Record<string, readonly string[]>>, isQuick: boolean): Promise<Spread[]> {
  const contenders = Object.fromEntries([
    ...withPeer('mcp-lite', (path) => ['mcp-lite', [fileUrl(path)]] as const),
    ...Object.entries(ours),
    ['official v2', ['@modelcontextprotocol/server', '@modelcontextprotocol/client']],
    ...withPeer('tmcp', (path) => ['tmcp', [fileUrl(path)]] as const),
    ...withPeer('fastmcp', (path) => ['fastmcp', [fileUrl(path)]] as const),
  ])
  return compareImports(contenders, isQuick ? 3 : 21)
}

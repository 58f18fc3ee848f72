// What it costs until a program runs: imports, the first result, bundles.
import { compareBundles } from './bundles.ts'
import type { Spread } from './figures.ts'
import { installPeers } from './install-peers.ts'
import { paceOf } from './pace.ts'
import type { PlannedRow } from './rows.ts'
import { compareImports, type Imports } from './starts.ts'
import { compareFirstResults } from './stdio-calls.ts'

const peers = installPeers()
/** By its name, as its users import it: to resolve a name costs as much as a small file. */
const withPeer = (name: string): [string, Imports][] => {
  const path = peers[name]
  return path === undefined ? [] : [[name, { names: [name], folder: path.slice(0, path.indexOf('/node_modules/')) }]]
}

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

/** Each turn starts a process for each contender. */
const starts = (isQuick: boolean) => paceOf(isQuick, { rounds: 21, runs: 1, warmUp: 0 })

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
    measure: (isQuick) => compareFirstResults(['bare', 'mcpwire, JSON Schema'], starts(isQuick)),
  },
  {
    title: 'start: from the start of a process to its first result over stdio, zod',
    unit: '×',
    goal: 2.05,
    ours: 'mcpwire',
    measure: (isQuick) => compareFirstResults(['bare', 'bare, zod', 'mcpwire', 'official v2'], starts(isQuick)),
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
  const contenders = Object.fromEntries<Imports>([
    ...withPeer('mcp-lite'),
    ...Object.entries(ours).map(([name, names]): [string, Imports] => [name, { names }]),
    ['official v2', { names: ['@modelcontextprotocol/server', '@modelcontextprotocol/client'] }],
    ...withPeer('tmcp'),
    ...withPeer('fastmcp'),
  ])
  return compareImports(contenders, starts(isQuick))
}

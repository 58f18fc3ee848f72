// The rows of the published table, each with how it is measured and what it may be at most.
import { compareBundles } from './bundles.ts'
import type { Row, Spread } from './figures.ts'
import { compareHttp } from './http.ts'
import { installPeers } from './install-peers.ts'
import { compareWorkers } from './processes.ts'
import { compareManyQuestions, compareQuestions } from './questions.ts'
import { compareImports, fileUrl } from './starts.ts'

export interface PlannedRow extends Omit<Row, 'figures'> {
  readonly measure: (isQuick: boolean) => Promise<Spread[]>
}

const peers = installPeers()
const withPeer = <T>(name: string, use: (path: string) => T): T[] =>
  peers[name] === undefined ? [] : [use(peers[name])]

const MODERN = ['floor', 'mcpwire', 'official v2, legacy', 'official v1, legacy']
const LEGACY = ['floor, legacy', 'mcpwire, legacy', 'official v2, legacy', 'official v1, legacy']

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

export const ROWS: readonly PlannedRow[] = [
  {
    title: 'in process: the first 1,000 calls, zod input and output',
    unit: '×',
    goal: 2.4,
    ours: 'mcpwire',
    measure: (isQuick) => compareWorkers('calls', MODERN, { rounds: isQuick ? 7 : 21, runs: 1_000 }),
  },
  {
    title: 'in process: calls when warm, modern',
    unit: '×',
    goal: 1.4,
    ours: 'mcpwire',
    measure: (isQuick) =>
      compareWorkers('calls', MODERN, { rounds: isQuick ? 7 : 21, runs: 2_000, warmUp: isQuick ? 6_000 : 30_000 }),
  },
  {
    title: 'in process: calls when warm, legacy',
    unit: '×',
    goal: 1.9,
    ours: 'mcpwire, legacy',
    measure: (isQuick) =>
      compareWorkers('calls', LEGACY, { rounds: isQuick ? 7 : 21, runs: 2_000, warmUp: isQuick ? 6_000 : 30_000 }),
  },
  {
    title: 'fetch: toFetch() over @hono/node-server, beside a handler by hand there',
    unit: '×',
    goal: 1.4,
    ours: 'mcpwire',
    measure: (isQuick) =>
      compareHttp('fetch', ['floor', 'mcpwire', 'official v2', ...withPeer('mcp-lite', () => 'mcp-lite')], {
        rounds: isQuick ? 5 : 15,
        requests: isQuick ? 500 : 1_000,
        warmUp: isQuick ? 2_000 : 8_000,
        atOnce: 16,
      }),
  },
  {
    title: 'questions: one in a call, modern beside legacy',
    unit: '×',
    goal: 1.2,
    ours: 'modern',
    measure: (isQuick) => compareQuestions(isQuick ? 5 : 15),
  },
  {
    title: 'questions: 100 in a call beside one, for each',
    unit: '×',
    goal: 1.5,
    ours: '100 questions',
    measure: (isQuick) => compareManyQuestions(isQuick ? 5 : 11),
  },
  {
    title: 'client: a listing of 1,000 tools over stdio, modern',
    unit: '×',
    goal: 1.2,
    ours: 'mcpwire',
    measure: (isQuick) =>
      compareWorkers('lists', ['floor', 'mcpwire'], { rounds: isQuick ? 7 : 15, runs: 20, warmUp: 100 }),
  },
  {
    title: 'client: a listing of 1,000 tools over stdio, legacy',
    unit: '×',
    goal: 1.2,
    ours: 'mcpwire, legacy',
    measure: (isQuick) =>
      compareWorkers('lists', ['floor, legacy', 'mcpwire, legacy', 'official v2, legacy', 'official v1, legacy'], {
        rounds: isQuick ? 7 : 15,
        runs: 20,
        warmUp: 100,
      }),
  },
  {
    title: 'updates: of a resource that nobody watches, 9,000 subscriptions beside 10',
    unit: '×',
    goal: 1.5,
    ours: '9,000 subscriptions',
    measure: (isQuick) =>
      compareWorkers('updates', ['10 subscriptions', '9,000 subscriptions'], {
        rounds: isQuick ? 7 : 15,
        runs: 1_000,
        warmUp: 1_000,
      }),
  },
  {
    title: 'updates: of a resource that nobody watches, 9,000 sessions beside 10',
    unit: '×',
    goal: 1.5,
    ours: '9,000 sessions',
    measure: (isQuick) =>
      compareWorkers('updates', ['10 sessions', '9,000 sessions'], {
        rounds: isQuick ? 7 : 15,
        runs: 1_000,
        warmUp: 1_000,
      }),
  },
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
  return compareImports(contenders, isQuick ? 7 : 21)
}

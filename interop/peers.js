// The peers in other processes: how each is started, its transports and its features.
import * as catalogue from './catalogue.js'
import {
  buildGo,
  buildRust,
  builtProgram,
  cacheFolder,
  installNode,
  installPackages,
  installPython,
  NEWER_NODE,
  ownFile,
  pythonOf,
  rustProgram,
} from './install.js'

const BOTH = ['legacy', 'modern']
const LEGACY = ['legacy']

/** The environment of servers in other processes. Python must not write compiled files into the repository. */
const SERVER_ENVIRONMENT = { INTEROP_CATALOGUE: JSON.stringify(catalogue), PYTHONDONTWRITEBYTECODE: '1' }

/** Clients for models support tools, and some of them resources and prompts. */
const TOOL_CHECKS = [
  'tools',
  'text',
  'unicode',
  'tool error',
  'bad arguments',
  'slow calls in flight',
  '64 in flight',
  '1 MB each way',
  'large payload',
]
const CONTENT_CHECKS = ['image', 'audio', 'embedded resource']
const READING_CHECKS = ['resources', 'templates', 'unknown resource']
const PROMPT_CHECKS = ['lists', 'prompts']

/** A program of ours that uses npm packages: under a newer Node, which finds its imports in the folder of those packages. */
function nodeProgram(name, folder) {
  const args = ['--import', ownFile('node/resolve-from.js'), ownFile(`node/${name}.js`)]
  return { command: NEWER_NODE, args, env: { INTEROP_PACKAGES: cacheFolder(folder) } }
}

function nodeClient(name, version, packages, offer) {
  const folder = `${name}-${version}`
  return {
    prepare: () => installNode() ?? installPackages(folder, packages),
    client: { ...nodeProgram(name, folder), ...offer },
  }
}

const PYTHON = 'python-2.3.0'
const FASTMCP = 'fastmcp-4.1.2'
const FASTMCP_TASKS = 'fastmcp-tasks-4.1.2'
const FASTMCP_NODE = 'fastmcp-node-4.20.16'
const GO = 'go-1.8.0'
const RUST = 'rust-3.8.0'
const EVERYWHERE = { stdio: BOTH, 'http-json': BOTH, 'http-sse': BOTH, sse: LEGACY }
/** It has no transport of 2024-11-05. */
const RUST_TRANSPORTS = { stdio: BOTH, 'http-json': BOTH, 'http-sse': BOTH }
/** Tasks of FastMCP and of the Rust SDK are those of 2026-07-28. */
const MODERN_EVERYWHERE = { stdio: ['modern'], 'http-json': ['modern'], 'http-sse': ['modern'] }
const LEGACY_EVERYWHERE = { stdio: LEGACY, 'http-json': LEGACY, 'http-sse': LEGACY, sse: LEGACY }

export const PEERS = {
  python: {
    prepare: () => installPython(PYTHON, ['mcp==2.3.0']),
    client: { command: pythonOf(PYTHON), args: [ownFile('python/client.py')], transports: EVERYWHERE },
    server: { command: pythonOf(PYTHON), args: [ownFile('python/server.py')], transports: EVERYWHERE },
  },
  go: {
    prepare: () => buildGo(GO),
    client: { command: builtProgram(GO), args: ['client'], transports: EVERYWHERE },
    server: { command: builtProgram(GO), args: ['server'], transports: EVERYWHERE },
  },
  rust: {
    prepare: () => buildRust(RUST),
    client: { command: rustProgram(RUST), args: ['client'], transports: RUST_TRANSPORTS },
    // It sends JSON responses to legacy requests only without a session.
    server: {
      command: rustProgram(RUST),
      args: ['server'],
      transports: { ...RUST_TRANSPORTS, 'http-json': ['modern'] },
    },
  },
  'rust-tasks': {
    prepare: () => buildRust(RUST),
    client: {
      command: rustProgram(RUST),
      args: ['task-client'],
      with: 'mcpwire-tasks',
      transports: MODERN_EVERYWHERE,
    },
    server: {
      command: rustProgram(RUST),
      args: ['task-server'],
      with: 'mcpwire-tasks',
      transports: MODERN_EVERYWHERE,
    },
  },
  fastmcp: {
    prepare: () => installPython(FASTMCP, ['fastmcp==4.1.2']),
    client: {
      command: pythonOf(FASTMCP),
      args: [ownFile('fastmcp/client.py')],
      transports: EVERYWHERE,
      checks: [
        ...TOOL_CHECKS,
        ...CONTENT_CHECKS,
        ...READING_CHECKS,
        ...PROMPT_CHECKS,
        'structured',
        'cancel',
        'completion',
        'progress',
        'logging',
        'elicitation, form',
        'sampling',
        'roots',
      ],
    },
    server: {
      command: pythonOf(FASTMCP),
      args: [ownFile('fastmcp/server.py')],
      transports: EVERYWHERE,
      lacks: ['sampling', 'roots', 'elicitation, url', 'subscriptions', 'completion'],
    },
  },
  'fastmcp-tasks': {
    prepare: () => installPython(FASTMCP_TASKS, ['fastmcp==4.1.2', 'fastmcp-tasks==4.1.2']),
    client: {
      command: pythonOf(FASTMCP_TASKS),
      args: [ownFile('tasks/fastmcp_client.py')],
      with: 'mcpwire-tasks',
      transports: MODERN_EVERYWHERE,
    },
    server: {
      command: pythonOf(FASTMCP_TASKS),
      args: [ownFile('tasks/fastmcp_server.py')],
      with: 'mcpwire-tasks',
      transports: MODERN_EVERYWHERE,
    },
  },
  'fastmcp-node': {
    prepare: () => installNode() ?? installPackages(FASTMCP_NODE, ['fastmcp@4.20.16']),
    server: {
      ...nodeProgram('fastmcp-server', FASTMCP_NODE),
      transports: { stdio: LEGACY, 'http-sse': LEGACY, sse: LEGACY },
    },
  },
  'ext-tasks': nodeClient(
    'ext-tasks',
    '0.2.2',
    ['@modelcontextprotocol/ext-tasks@0.2.2', '@modelcontextprotocol/client@2.4.0'],
    // It has no way for tasks of 2026-07-28 over stdio: the program brings one for HTTP.
    { with: 'mcpwire-tasks', transports: { stdio: LEGACY, 'http-json': BOTH, 'http-sse': BOTH } },
  ),
  'inspector-tasks': nodeClient('inspector', '2.12.0', ['@modelcontextprotocol/inspector@2.12.0'], {
    with: 'mcpwire-tasks',
    transports: { stdio: BOTH, 'http-json': BOTH, 'http-sse': BOTH },
    checks: ['plain call', 'result of a task', 'tool error in a task', 'protocol error in a task'],
  }),
  'ai-sdk': nodeClient('ai-sdk', '2.0.93', ['@ai-sdk/mcp@2.0.93'], {
    transports: EVERYWHERE,
    checks: [
      ...TOOL_CHECKS,
      ...CONTENT_CHECKS,
      ...READING_CHECKS,
      ...PROMPT_CHECKS,
      'structured',
      'cancel',
      'completion',
      'elicitation, form',
    ],
  }),
  langchain: nodeClient('langchain', '1.1.4', ['@langchain/mcp-adapters@1.1.4', '@langchain/core@1.2.13'], {
    transports: LEGACY_EVERYWHERE,
    checks: [...TOOL_CHECKS, ...READING_CHECKS, 'logging', 'cancel'],
  }),
  'openai-agents': nodeClient('openai-agents', '0.20.0', ['@openai/agents@0.20.0'], {
    transports: LEGACY_EVERYWHERE,
    checks: [...TOOL_CHECKS, ...CONTENT_CHECKS, ...READING_CHECKS, 'structured', 'cancel'],
  }),
  mcporter: nodeClient('mcporter', '0.12.3', ['mcporter@0.12.3'], {
    transports: { stdio: LEGACY, 'http-json': LEGACY, 'http-sse': LEGACY },
    checks: [...TOOL_CHECKS, ...CONTENT_CHECKS, ...READING_CHECKS, 'structured'],
  }),
  // One process per call, so many at once would only load the machine.
  inspector: nodeClient('inspector', '2.12.0', ['@modelcontextprotocol/inspector@2.12.0'], {
    transports: { stdio: BOTH, 'http-json': BOTH, 'http-sse': BOTH },
    checks: [
      'tools',
      'text',
      'tool error',
      'bad arguments',
      'large payload',
      'structured',
      ...CONTENT_CHECKS,
      ...READING_CHECKS,
      ...PROMPT_CHECKS,
    ],
  }),
}

/** The description of a peer, with its environment; nothing if it runs in this process. */
export function peerServer(name) {
  const server = PEERS[name]?.server
  return server && { ...server, env: { ...SERVER_ENVIRONMENT, ...server.env } }
}

const prepared = new Map()

/** Installs what a cell needs. Returns the reason if this machine can't run it. */
export function prepareCell({ client, server }) {
  for (const name of [client, server]) {
    if (!prepared.has(name)) prepared.set(name, PEERS[name]?.prepare())
    if (prepared.get(name) !== undefined) return `${name} is not here: ${prepared.get(name)}`
  }
  return undefined
}

// The cells of the matrix: client, server, transport and era.
import { PEERS } from './peers.js'

export const CLIENTS = ['mcpwire', 'official-v1', 'official-v2']

/** The transports of each server, with their eras. */
export const SERVERS = {
  mcpwire: { stdio: both(), 'http-json': both(), 'http-sse': both(), sse: ['legacy'] },
  'official-v1': { stdio: ['legacy'], 'http-json': ['legacy'], 'http-sse': ['legacy'], sse: ['legacy'] },
  'official-v2': { stdio: both(), 'http-json': both(), 'http-sse': both() },
  everything: { stdio: ['legacy'], 'http-sse': ['legacy'], sse: ['legacy'] },
  filesystem: { stdio: ['legacy'] },
  memory: { stdio: ['legacy'] },
}

const CLIENT_ERAS = { mcpwire: both(), 'official-v1': ['legacy'], 'official-v2': both() }

function both() {
  return ['legacy', 'modern']
}

/** All cells, in the order of the table. */
export function listCells() {
  const cells = []
  for (const client of CLIENTS) {
    for (const [server, transports] of Object.entries(SERVERS)) {
      for (const [transport, eras] of Object.entries(transports)) {
        for (const era of eras) if (CLIENT_ERAS[client].includes(era)) cells.push({ client, server, transport, era })
      }
    }
  }
  return cells
}

/** The same for the peers that are installed separately, with mcpwire on the other side. */
export function listPeerCells() {
  const cells = []
  for (const [peer, { client, server }] of Object.entries(PEERS)) {
    for (const [transport, eras] of Object.entries(client?.transports ?? {})) {
      for (const era of eras) cells.push({ client: peer, server: client.with ?? 'mcpwire', transport, era })
    }
    for (const [transport, eras] of Object.entries(server?.transports ?? {})) {
      for (const era of eras) cells.push({ client: server.with ?? 'mcpwire', server: peer, transport, era })
    }
  }
  return [...cells, ...listOwnTaskCells(), ...listOlderCells()]
}

/** Tasks without a peer to install: both sides ours, or one of them the official SDK v1 (2025-11-25). */
function listOwnTaskCells() {
  const pairs = [
    ['mcpwire-tasks', 'mcpwire-tasks', both()],
    ['official-v1-tasks', 'mcpwire-tasks', ['legacy']],
    ['mcpwire-tasks', 'official-v1-tasks', ['legacy']],
  ]
  return pairs.flatMap(([client, server, eras]) =>
    ['stdio', 'http-json', 'http-sse'].flatMap((transport) => eras.map((era) => ({ client, server, transport, era }))),
  )
}

/** Pinned older revisions: our client against other servers, and the Go client against ours. */
function listOlderCells() {
  return OLDER.flatMap((revision) =>
    [
      ['go', 'mcpwire', 'stdio'],
      ['go', 'mcpwire', 'http-sse'],
      ['mcpwire', 'mcpwire', 'stdio'],
      ['mcpwire', 'official-v1', 'stdio'],
      ['mcpwire', 'official-v2', 'stdio'],
      ['mcpwire', 'python', 'stdio'],
      ['mcpwire', 'go', 'stdio'],
      ['mcpwire', 'go', 'http-sse'],
      ['mcpwire', 'rust', 'stdio'],
    ].map(([client, server, transport]) => ({ client, server, transport, era: 'legacy', revision })),
  )
}

const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05']

/** The first revision with the feature of a check. */
export const SINCE = {
  audio: '2025-03-26',
  structured: '2025-06-18',
  'elicitation, form': '2025-06-18',
  'elicitation, url': '2025-11-25',
}

/** Cells with mcpwire on at least one side, such that every pair of server and transport, client and era occurs once. */
export function listPairwise() {
  const seen = new Set()
  return listCells().filter(({ client, server, transport, era }) => {
    if (client !== 'mcpwire' && server !== 'mcpwire') return false
    const pairs = [`${client} ${server} ${era}`, `${server} ${transport} ${era}`, `${client} ${transport}`]
    const isNew = pairs.some((pair) => !seen.has(pair))
    for (const pair of pairs) seen.add(pair)
    return isNew
  })
}

// The cells of the matrix: which client, which server, over what, in which era.

export const CLIENTS = ['mcpwire', 'official-v1', 'official-v2']

/** What each server can be reached over, and the eras that it speaks there. */
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

/** Cells with us on one side at least, so that every pair of server and transport, client and era is among them once. */
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

/**
 * What a pair cannot do, with the reason: nothing that is ours to change.
 * @type {readonly { check: string, reason: string, when: (cell: object) => boolean }[]}
 */
export const KNOWN = [
  {
    check: 'large payload',
    reason: 'the SSE client of the Python SDK refuses events over 1 MiB and has no option for it',
    when: ({ client, transport }) => client === 'python' && transport === 'sse',
  },
  {
    check: 'progress',
    reason: 'the Python SDK drops progress of a request that it answers with JSON',
    when: isModernJsonFromPython,
  },
  {
    check: 'logging',
    reason: 'the Python SDK drops log messages of a request that it answers with JSON',
    when: isModernJsonFromPython,
  },
  {
    check: 'cancel',
    reason: 'the Python SDK does not notice that the caller of a request left which it answers with JSON',
    when: isModernJsonFromPython,
  },
  {
    check: 'progress',
    reason: 'the official servers drop progress of a request that they answer with JSON',
    when: isJsonFromOfficial,
  },
  {
    check: 'logging',
    reason: 'the official servers drop log messages of a request that they answer with JSON',
    when: isJsonFromOfficial,
  },
]

function isJsonFromOfficial({ server, transport, era }) {
  return server.startsWith('official') && transport === 'http-json' && era === 'legacy'
}

function isModernJsonFromPython({ server, transport, era }) {
  return server === 'python' && transport === 'http-json' && era === 'modern'
}

export function knownGap(cell, check) {
  return KNOWN.find((gap) => gap.check === check && gap.when(cell))?.reason
}

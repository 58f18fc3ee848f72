// The cells with a proxy of mcpwire in the middle: a client and a server of others, in one era and across the two.

/** Front, back. */
const WAYS = [
  ['http-sse', 'http-sse'],
  ['stdio', 'stdio'],
  ['http-sse', 'stdio'],
  ['stdio', 'http-sse'],
]

const BOTH = ['legacy', 'modern']
const ERAS = { 'official-v1': ['legacy'], 'official-v2': BOTH, python: BOTH }

const PAIRS = [
  ['official-v1', 'official-v1'],
  ['official-v2', 'official-v2'],
  ['python', 'python'],
  ['official-v2', 'python'],
  ['python', 'official-v2'],
]

/** `transport` and `era` are those of the front, `back` has those of the server. */
export function listThroughCells() {
  return PAIRS.flatMap(([client, server]) =>
    ERAS[client].flatMap((era) =>
      ERAS[server].flatMap((behind) =>
        waysOf(client === server && era === behind).map(([transport, backTransport]) => {
          return { client, server, transport, era, back: { transport: backTransport, era: behind } }
        }),
      ),
    ),
  )
}

/** What carries the messages is no matter of peers and eras: once for each peer is enough. */
function waysOf(isWhole) {
  return isWhole ? WAYS : WAYS.slice(0, 2)
}

/** The two halves of a cell, as cells of their own: what a peer gets wrong there, it gets wrong here. */
export function halvesOf({ client, server, transport, era, back }) {
  return [
    { client, server: 'mcpwire', transport, era },
    { client: 'mcpwire', server, ...back },
  ]
}

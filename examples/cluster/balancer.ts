// A balancer in plain Node: one node after the other, no stickiness. It leaves out nodes whose /ready does not answer 200.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** How often each node is asked whether it is ready. */
const LOOK_MS = 500

interface Balancer {
  readonly url: string
  close(): Promise<void>
}

export async function startBalancer(nodes: readonly URL[], port = 0): Promise<Balancer> {
  let turn = 0
  let ready: readonly URL[] = nodes

  const look = async () => {
    const answers = await Promise.all(nodes.map(isReady))
    ready = nodes.filter((_, index) => answers[index])
  }
  const looking = setInterval(() => void look(), LOOK_MS)

  const server = createServer((incoming, outgoing) => {
    turn += 1
    const first = turn
    const candidates = ready.length > 0 ? ready : nodes
    const inTurn = candidates.map((_, index) => candidates[(first + index) % candidates.length] as URL)
    pass(incoming, outgoing, inTurn)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    close: async () => {
      clearInterval(looking)
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function isReady(node: URL): Promise<boolean> {
  try {
    const response = await fetch(new URL('/ready', node), { signal: AbortSignal.timeout(LOOK_MS) })
    return response.ok
  } catch {
    return false
  }
}

/** Sends the request to the first node that accepts the connection. What a node has begun to read is not sent to another one. */
function pass(incoming: IncomingMessage, outgoing: ServerResponse, [node, ...others]: readonly URL[]): void {
  if (node === undefined) {
    outgoing.writeHead(503, { 'retry-after': '1' }).end()
    return
  }
  const { method, headers, url: path } = incoming
  const upstream = request(new URL(path ?? '/', node), { method, headers, agent: false })
  let isConnected = false
  upstream.on('socket', (socket) => {
    socket.once('connect', () => {
      isConnected = true
      incoming.pipe(upstream)
    })
  })
  upstream.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    // An event stream begins with its headers, before its first event.
    outgoing.flushHeaders()
    response.on('error', () => outgoing.destroy())
    response.on('aborted', () => outgoing.destroy())
    response.pipe(outgoing)
  })
  upstream.on('error', () => {
    if (!isConnected) pass(incoming, outgoing, others)
    else if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(502).end()
  })
  outgoing.on('close', () => upstream.destroy())
}

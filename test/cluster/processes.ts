// Three programs on one engine behind a balancer that has no stickiness: the next node for every request, over a new connection.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bundleProgram } from '../support/bundle.ts'
import { type Child, startNode } from '../support/child.ts'

export interface NodeProcess {
  readonly child: Child
  readonly port: number
}

/** Starts so many programs, each of which prints `listening <port>`. They are bundled from this tree, or from that of another release. */
export async function startNodes(
  name: string,
  source: string,
  size: number,
  env: Record<string, string>,
  tree?: string,
): Promise<NodeProcess[]> {
  const program = await bundleProgram(name, source, tree)
  return Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const child = startNode([program], { ...env, NODE_INDEX: String(index) })
      await child.printed('listening ')
      const port = Number(/listening (\d+)/.exec(child.output.stdout)?.[1])
      return { child, port }
    }),
  )
}

export async function endNodes(nodes: readonly NodeProcess[]): Promise<void> {
  for (const { child } of nodes) child.process.kill('SIGKILL')
  await Promise.all(nodes.map(({ child }) => child.ended))
}

export interface Balancer {
  readonly url: string
  /** How many requests each node has answered. */
  readonly served: readonly number[]
  /** How many responses had each status. */
  readonly statuses: ReadonlyMap<number, number>
  /** How many streams were resumed. */
  readonly resumed: number
  /** Nodes that get no requests, as with a balancer that has asked for `/ready`. */
  readonly leftOut: Set<number>
  /** How many requests each node has and has not begun to answer. */
  readonly unanswered: readonly number[]
  close(): Promise<void>
}

/** A node that refuses the connection is passed over; what a node has begun to answer is not sent to another. */
export async function startBalancer(nodes: readonly NodeProcess[]): Promise<Balancer> {
  const served = nodes.map(() => 0)
  const statuses = new Map<number, number>()
  let resumed = 0
  const leftOut = new Set<number>()
  const unanswered = nodes.map(() => 0)
  let next = 0
  const server = createServer((incoming, response) => {
    incoming.on('error', () => {})
    if (incoming.headers['last-event-id'] !== undefined) resumed += 1
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => forward(incoming, Buffer.concat(chunks), response, nodes.length))
  })

  function forward(incoming: IncomingMessage, body: Buffer, response: ServerResponse, tries: number): void {
    while (leftOut.has(next % nodes.length)) next += 1
    const index = next % nodes.length
    next += 1
    const { method, url: path, headers } = incoming
    const outgoing = request({ port: nodes[index]?.port, host: '127.0.0.1', method, path, headers, agent: false })
    unanswered[index]! += 1
    const settle = once(() => {
      unanswered[index]! -= 1
    })
    outgoing.on('close', settle)
    outgoing.on('response', (answer) => {
      settle()
      served[index] = (served[index] ?? 0) + 1
      const status = answer.statusCode ?? 500
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      response.writeHead(status, answer.headers)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) response.destroy()
      else if (error.code === 'ECONNREFUSED' && tries > 1) forward(incoming, body, response, tries - 1)
      else response.writeHead(502).end()
    })
    response.on('close', () => outgoing.destroy())
    outgoing.end(body)
  }

  await listen(server)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return {
    url,
    served,
    statuses,
    leftOut,
    unanswered,
    get resumed() {
      return resumed
    },
    close: () => closeServer(server),
  }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

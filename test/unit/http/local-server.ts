// Servers on a free port of this machine for tests of clients, gone with the test that asked for one.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface LocalServer {
  /** As in `http://127.0.0.1:40001`. */
  readonly origin: string
  readonly port: number
  /** Connections accepted so far. */
  readonly connections: number
  /** Requests whose answer is neither complete nor given up. */
  readonly underWay: number
  /** Connections open now. */
  readonly open: ReadonlySet<Socket>
  close(): Promise<void>
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

export function serveLocally(answer: Answer): Promise<LocalServer> {
  let underWay = 0
  const server = createServer((request, response) => {
    underWay += 1
    response.on('close', () => {
      underWay -= 1
    })
    Promise.resolve(answer(request, response)).catch((error: unknown) => response.destroy(error as Error))
  })
  return listen(server, () => underWay)
}

/** Answers every connection with whatever `serve` writes to it, HTTP or not. */
export function serveRaw(serve: (socket: Socket) => void): Promise<LocalServer> {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => {})
      serve(socket)
    }),
  )
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

async function listen(server: Server, underWay = () => 0): Promise<LocalServer> {
  const open = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of open) socket.destroy()
    })
  onTestFinished(close)
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    get connections() {
      return connections
    },
    get underWay() {
      return underWay()
    },
    open,
    close,
  }
}

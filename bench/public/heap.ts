// The heap of a server for each open session of a legacy client with its stream, beside a server that only keeps such streams open.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Spread } from './figures.ts'
import { figureOf, openSession, start } from './http.ts'

const WARM_UP = 200

async function openStream(port: number): Promise<Socket> {
  const session = await openSession(port)
  const socket = connect(port, '127.0.0.1')
  const head = [
    'GET /mcp HTTP/1.1',
    'Host: localhost:3000',
    'Accept: text/event-stream',
    'MCP-Protocol-Version: 2025-11-25',
    `Mcp-Session-Id: ${session}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [piece] = await once(socket, 'data')
  if (!String(piece).startsWith('HTTP/1.1 200')) throw new Error(String(piece))
  return socket
}

/** Kilobytes per session. */
async function perSession(contender: string, count: number): Promise<number> {
  const server = await start('node-http', contender, ['--expose-gc'])
  const sockets: Socket[] = []
  for (let index = 0; index < WARM_UP; index++) sockets.push(await openStream(server.port))
  await settled()
  const before = await figureOf(server, 'heap')
  for (let index = 0; index < count; index++) sockets.push(await openStream(server.port))
  await settled()
  const grown = (await figureOf(server, 'heap')) - before
  for (const socket of sockets) socket.destroy()
  server.child.kill()
  return grown / count / 1_000
}

/** Timers of the requests that opened the sessions hold them for a moment. */
const settled = () => wait(500)

/** `mcpwire` is what a session takes beyond the stream by hand. */
export async function compareHeap(contenders: readonly string[], count: number): Promise<Spread[]> {
  const base = await perSession('floor', count)
  const spread = (name: string, micros: number): Spread => ({ name, micros, ratio: micros / base, low: 0, high: 0 })
  const figures = [spread('stream by hand', base)]
  for (const contender of contenders) {
    figures.push(spread(contender, (await perSession(contender, count)) - base))
  }
  return figures
}

// Sends requests as bytes over raw sockets, each as soon as the last one has its response.
import { connect, type Socket } from 'node:net'
import { stayAwake } from '../stay-awake.ts'

/** Concurrent calls of a session need different ids of the same length. */
export const FIRST_ID = 1_000_000
const ID_TEXT = `"id":${FIRST_ID},`

/** The request of one connection, with its own id. */
function withOwnId(request: Buffer, index: number): Buffer {
  const at = request.indexOf(ID_TEXT)
  if (at === -1) return request
  const own = Buffer.from(request)
  own.write(`"id":${FIRST_ID + index},`, at)
  return own
}

/** Sends a number of requests over a number of connections. All responses have the same length. */
export async function load(port: number, request: Buffer, concurrency: number, count: number): Promise<void> {
  const length = await answerLength(port, request)
  let left = count
  const drive = (socket: Socket, index: number) =>
    new Promise<void>((resolve, reject) => {
      const own = withOwnId(request, index)
      let received = 0
      const next = () => {
        if (left-- <= 0) resolve()
        else socket.write(own)
      }
      socket.on('error', reject)
      socket.on('data', (piece) => {
        received += piece.length
        if (received < length) return
        received -= length
        next()
      })
      next()
    })
  const sockets = Array.from({ length: concurrency }, () => connect(port, '127.0.0.1'))
  const rest = stayAwake()
  await Promise.all(sockets.map(drive))
  rest()
  for (const socket of sockets) socket.destroy()
}

/** The body of the response. */
export async function ask(port: number, request: Buffer): Promise<string> {
  const text = await exchange(port, request)
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

async function answerLength(port: number, request: Buffer): Promise<number> {
  return (await exchange(port, request)).length
}

/** One request and its whole response, which is ASCII. */
function exchange(port: number, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', reject)
    const pieces: Buffer[] = []
    let received = 0
    /** Where the response ends; `undefined` until its head is there, and for one that comes in chunks. */
    let end: number | undefined
    socket.on('data', (piece) => {
      pieces.push(piece)
      received += piece.length
      end ??= endOf(Buffer.concat(pieces))
      if (end === undefined ? !endsInChunks(pieces) : received < end) return
      const text = Buffer.concat(pieces).toString('latin1')
      if (!text.startsWith('HTTP/1.1 200') || text.includes('"error"')) reject(new Error(text))
      socket.destroy()
      resolve(text)
    })
    socket.write(request)
  })
}

/** By the length in its head. */
function endOf(received: Buffer): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const length = /content-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1]
  return length === undefined ? undefined : end + 4 + Number(length)
}

function endsInChunks(pieces: readonly Buffer[]): boolean {
  return Buffer.concat(pieces.slice(-2)).toString('latin1').endsWith('\r\n0\r\n\r\n')
}

// HTTP as bytes on a socket, for what no well-behaved client would send.
import { connect, type Socket } from 'node:net'

export interface RawResponse {
  status: number
  /** By lower-case name. */
  headers: Record<string, string>
  body: string
}

/** Sends the text as it is and reads until the connection ends or one answer with a known length has come. */
export function sendRaw(port: number, text: string | Uint8Array): Promise<RawResponse> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  const isHead = typeof text === 'string' && text.startsWith('HEAD ')
  return readResponse(socket, isHead).finally(() => socket.destroy())
}

/** A socket that a test keeps, to write more or to leave. */
export function openRaw(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  return socket
}

/** An answer to `HEAD` has the length of a body that it does not have. */
export function readResponse(socket: Socket, isHead = false): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let text = ''
    const look = () => {
      const response = parseResponse(text, isHead)
      if (response !== undefined) resolve(response)
    }
    socket.setEncoding('utf8')
    socket.on('data', (piece) => {
      text += piece
      look()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`The connection ended after: ${text.slice(0, 200)}`)))
  })
}

function parseResponse(text: string, isHead: boolean): RawResponse | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [start = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = text.slice(end + 4)
  const length = headers['content-length']
  if (!isHead && length !== undefined && Buffer.byteLength(body) < Number(length)) return undefined
  return { status: Number(start.split(' ')[1]), headers, body }
}

export interface RawRequest {
  method?: string
  path?: string
  /** In the order given; a name may come more than once. */
  headers?: readonly (readonly [string, string])[]
  body?: string
}

/** The text of a request, with Host and Content-Length unless the headers have them. */
export function rawRequest({ method = 'POST', path = '/mcp', headers = [], body = '' }: RawRequest): string {
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const all = [...headers]
  if (!names.has('host')) all.push(['Host', 'localhost'])
  if (!names.has('content-length') && !names.has('transfer-encoding') && body !== '') {
    all.push(['Content-Length', String(Buffer.byteLength(body))])
  }
  return `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

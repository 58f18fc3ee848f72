// Calls of legacy sessions and of modern clients, each to the next node, as fast as the nodes answer.
import { connect, type Socket } from 'node:net'
import { modernBody, modernHeaders } from '../../test/support/modern-messages.ts'
import { stayAwake } from '../stay-awake.ts'
import { type BenchNode, JSON_PATH } from './node.ts'

export interface Row {
  readonly title: string
  readonly tool: string
  readonly path: string
  readonly isModern?: boolean
}

/** At a time, for each node: what a node gathers in one turn depends on it. */
export const CONCURRENCY = 16

export const LEGACY_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
}

/** A call as it goes over the connection. */
export function requestOf({ tool, path, isModern = false }: Row, id: number, session: string): string {
  const params = { name: tool, arguments: {}, ...(isModern ? {} : { _meta: { progressToken: id } }) }
  const message = isModern ? modernBody({ params, id }) : { jsonrpc: '2.0', id, method: 'tools/call', params }
  const body = JSON.stringify(message)
  const headers: Record<string, string> = isModern
    ? modernHeaders({ params })
    : { ...LEGACY_HEADERS, 'mcp-session-id': session }
  const lines = Object.entries({ host: 'localhost:3000', ...headers, 'content-length': String(body.length) })
  return [`POST ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n')
}

/** Makes so many calls. Each goes to the next node, over a connection that is kept. */
export async function callAll(
  nodes: readonly BenchNode[],
  row: Row,
  calls: number,
  sessionOf: (driver: number) => string,
): Promise<void> {
  const ending = row.path === JSON_PATH ? '}' : '\r\n0\r\n\r\n'
  const drivers = CONCURRENCY * nodes.length
  let left = calls
  const drive = (driver: number) =>
    new Promise<void>((resolve, reject) => {
      let turn = driver
      let tail = ''
      const sockets = nodes.map(({ port }) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', reject)
        socket.setEncoding('latin1').on('data', (piece: string) => {
          if (tail === '' && !piece.startsWith('HTTP/1.1 200')) return reject(new Error(`A call got ${piece}`))
          tail = (tail + piece).slice(-16)
          if (!tail.endsWith(ending)) return
          tail = ''
          next()
        })
        return socket
      })
      const next = () => {
        left -= 1
        if (left < 0) {
          for (const socket of sockets) socket.destroy()
          resolve()
          return
        }
        turn += 1
        const socket = sockets[turn % sockets.length] as Socket
        socket.write(requestOf(row, turn * drivers + driver, sessionOf(driver)))
      }
      next()
    })
  const rest = stayAwake()
  await Promise.all(Array.from({ length: drivers }, (_, driver) => drive(driver)))
  rest()
}

export async function openSession({ port }: BenchNode, path: string, capabilities: object = {}): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'bench', version: '1.0.0' } }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: LEGACY_HEADERS,
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  await response.text()
  const session = response.headers.get('mcp-session-id')
  if (session === null) throw new Error(`initialize was answered with ${response.status}`)
  return session
}

/** A call whose stream stays open: resolves once its first message has come, to the id of its first event. */
export async function openEndless({ port }: BenchNode, path: string, session: string, id: number): Promise<string> {
  const params = { name: 'endless', arguments: {}, _meta: { progressToken: id } }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...LEGACY_HEADERS, 'mcp-session-id': session },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  })
  const text = await readUntil(response, /progress":10\b/)
  return /^id: ?(\S+)/m.exec(text)?.[1] ?? ''
}

/** Resumes a stream: the milliseconds until the stored events, and until the error of the lost call. */
export async function resume(
  { port }: BenchNode,
  path: string,
  session: string,
  eventId: string,
): Promise<{ readonly events: number; readonly error: number }> {
  const startedAt = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { ...LEGACY_HEADERS, accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': eventId },
  })
  if (response.status !== 200) throw new Error(`A resumption was answered with ${response.status}`)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let events = Number.NaN
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
    text += value ?? ''
    if (Number.isNaN(events) && /progress":10\b/.test(text)) events = performance.now() - startedAt
    if (done || text.includes('-32603')) return { events, error: performance.now() - startedAt }
  }
}

async function readUntil(response: Response, pattern: RegExp): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!pattern.test(text)) {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) throw new Error(`The stream ended: ${text}`)
    text += value
  }
  // The rest is not read: the connection ends with its node.
  reader?.closed.catch(() => {})
  return text
}

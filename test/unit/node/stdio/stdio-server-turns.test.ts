// Large responses leave room for everything else that the process does. Counted in turns of the event loop, not in time.
import { PassThrough, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Server } from '../../../../src/exports/server.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { serveStdio } from '../../../../src/node/stdio/stdio-server.ts'
import { Server as LowLevelServer } from '../../../../src/server/server.ts'

const CALLS = 64

interface Arrival {
  readonly id: number
  /** The turn of the event loop in which the response was written. */
  readonly turn: number
}

/** Pipelines calls of one tool in one chunk, and reports in which turn each response was written. */
async function callAllAtOnce(server: MCPServer | Server): Promise<Arrival[]> {
  const input = new PassThrough()
  const arrivals: Arrival[] = []
  let turn = 0
  let isOver = false
  const nextTurn = () => {
    turn += 1
    if (!isOver) setImmediate(nextTurn)
  }
  let settle = () => {}
  const allWritten = new Promise<void>((resolve) => {
    settle = resolve
  })
  // Takes everything at once: no backpressure hides a turn that is too long.
  const output = new Writable({
    highWaterMark: 1024 ** 3,
    write: (chunk: Buffer, _encoding, done) => {
      for (const match of chunk.toString('latin1').matchAll(/\{"jsonrpc":"2\.0","id":(\d+)/g)) {
        arrivals.push({ id: Number(match[1]), turn })
      }
      if (arrivals.length > CALLS) settle()
      done()
    },
  })
  const serving = serveStdio(server, { input, output })
  const say = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
  const clientInfo = { name: 'test', version: '1' }
  input.write(
    say({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } }),
  )
  while (arrivals.length === 0) await new Promise((resolve) => setImmediate(resolve))
  setImmediate(nextTurn)
  const calls = Array.from({ length: CALLS }, (_, index) =>
    say({ id: index + 1, method: 'tools/call', params: { name: 'text', arguments: {} } }),
  )
  input.write(say({ method: 'notifications/initialized' }) + calls.join(''))
  await allWritten
  isOver = true
  input.end()
  await serving
  return arrivals.slice(1)
}

function turnsOf(arrivals: readonly Arrival[]): number {
  return new Set(arrivals.map(({ turn }) => turn)).size
}

const MEGABYTE = 'x'.repeat(1024 * 1024)

it('64 pipelined results of 1 MB are written in as many turns of the event loop', async () => {
  const server = new MCPServer('large')
  server.tool('text', () => MEGABYTE)
  const arrivals = await callAllAtOnce(server)
  expect(arrivals.map(({ id }) => id)).toEqual(Array.from({ length: CALLS }, (_, index) => index + 1))
  expect(turnsOf(arrivals)).toBeGreaterThanOrEqual(CALLS - 1)
})

it('so are those of a low-level server, whose results are the author’s own', async () => {
  const content = [{ type: 'text' as const, text: MEGABYTE }]
  const server = new LowLevelServer('large', { handlers: { 'tools/call': async () => ({ content }) } })
  expect(turnsOf(await callAllAtOnce(server))).toBeGreaterThanOrEqual(CALLS - 1)
})

it('small results do not wait for another turn', async () => {
  const server = new MCPServer('small')
  server.tool('text', () => 'hello')
  expect(turnsOf(await callAllAtOnce(server))).toBe(1)
})

it('responses that wait for a turn are written when the connection closes', async () => {
  const server = new MCPServer('large')
  server.tool('text', () => MEGABYTE)
  const input = new PassThrough()
  const ids: number[] = []
  const output = new Writable({
    highWaterMark: 1024 ** 3,
    write: (chunk: Buffer, _encoding, done) => {
      for (const match of chunk.toString('latin1').matchAll(/"id":(\d+)/g)) ids.push(Number(match[1]))
      done()
    },
  })
  const serving = serveStdio(server, { input, output })
  const call = (id: number) =>
    `${JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: {
        name: 'text',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    })}\n`
  input.end([1, 2, 3, 4, 5].map(call).join(''))
  await serving
  expect(ids).toEqual([1, 2, 3, 4, 5])
})

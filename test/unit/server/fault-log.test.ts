// What a server without `onFault` writes to the standard error once it is served.

import { PassThrough } from 'node:stream'
import { serveStdio } from 'mcpwire/node'
import { createHandler, MCPServer, Server } from 'mcpwire/server'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { FaultReporter } from '../../../src/dispatcher/fault.ts'
import { coreOf } from '../../../src/server/internals.ts'
import { describeFault } from '../../../src/server/reports/fault-log.ts'

let written: MockInstance<typeof console.error>

beforeEach(() => {
  written = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  written.mockRestore()
})

const linesOf = () => written.mock.calls.map(([text]) => String(text))

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Serves over two streams, sends these messages, and resolves when they have been answered and all is over. */
async function serve(server: MCPServer, ...messages: unknown[]): Promise<string> {
  const input = new PassThrough()
  const output = new PassThrough()
  const serving = serveStdio(server, { input, output })
  let answered = ''
  output.on('data', (piece: Buffer) => {
    answered += piece.toString()
  })
  input.end(messages.map((message) => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`).join(''))
  await serving
  return answered
}

function call(name: string) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: META } }
}

function failing(options: ConstructorParameters<typeof MCPServer>[1] = {}): MCPServer {
  const server = new MCPServer('failing', options)
  server.tool('boom', {}, () => {
    throw new Error('no such table: users')
  })
  return server
}

const MIRRORED_PASSWORD = {
  type: 'object',
  properties: { password: { type: 'string', 'x-mcp-header': 'Password' } },
} as const

describe('a server in service', () => {
  it('writes why a tool failed, which the model does not read', async () => {
    const answered = await serve(failing(), call('boom'))

    expect(answered).not.toContain('no such table')
    const [text = ''] = linesOf()
    expect(linesOf()).toHaveLength(1)
    expect(text).toMatch(
      /^mcpwire: .*boom.* \[handler-failed, tools\/call\]: Error: no such table: users\n {2}The model .*\n {4}at /,
    )
    expect(text).toContain('fault-log.test.ts')
  })

  it('writes nothing where the author listens', async () => {
    const faults: string[] = []
    await serve(failing({ onFault: ({ kind }) => faults.push(kind) }), call('boom'))

    expect(faults).toEqual(['handler-failed'])
    expect(linesOf()).toEqual([])
  })

  it('writes nothing of answers that nobody waits for, nor of calls that are simply wrong', async () => {
    await serve(failing(), { jsonrpc: '2.0', id: 99, result: {} }, call('unknown'))

    expect(linesOf()).toEqual([])
  })

  it('writes which arguments it had to repair', async () => {
    const server = new MCPServer('repairing')
    server.tool('list', { input: { type: 'object', properties: { ids: { type: 'array' } } } }, () => 'ok')
    const request = call('list')
    await serve(server, { ...request, params: { ...request.params, arguments: { ids: '[1]' } } })

    expect(linesOf()).toEqual([expect.stringMatching(/tool "list".*: ids \[invalid-message, tools\/call\]$/)])
  })

  it('writes what its transport had to skip, in one line', async () => {
    await serve(failing(), 'no JSON')

    expect(linesOf()).toEqual([expect.stringMatching(/^mcpwire: Skipped a line that is not JSON.* \[transport\].*$/)])
  })

  it('writes what was doubtful about a definition, however early that was', async () => {
    const server = new MCPServer('doubtful')
    server.tool('keyed', { input: MIRRORED_PASSWORD }, () => 'x')
    expect(linesOf()).toEqual([])
    await serve(server)

    expect(linesOf()).toEqual([expect.stringMatching(/^mcpwire: .*keyed.* \[configuration-warning\]$/)])
  })

  it('writes as much when it is called without a client', async () => {
    await failing().listTools()
    expect(linesOf()).toEqual([])

    await failing().callTool('boom', {})
    expect(linesOf()).toEqual([expect.stringContaining('no such table: users')])
  })

  it('is any server', async () => {
    const server = new Server('plain')
    const handler = createHandler(server)
    coreOf(server).faults.report({ kind: 'overflow', message: 'Too much' })
    await handler.close()

    expect(linesOf()).toContain('mcpwire: Too much [overflow]')
  })
})

describe('the text of a fault', () => {
  it('R56 cannot be made to look like another line, nor to move what stands around it', () => {
    const error = new Error('a\nmcpwire: forged\r\n    at forged\u001b[2J\u202e\u{e0041}')
    const [first = '', ...frames] = describeFault({ kind: 'handler-failed', message: 'b\nc', error }).split('\n')

    expect(first).toBe('mcpwire: b c [handler-failed]: Error: a mcpwire: forged at forged [2J\\u202e\\u{e0041}')
    expect(frames.length).toBeGreaterThan(0)
    expect(frames.join('\n')).not.toContain('forged')
  })

  it('is bounded, and names the cause and what was left out', () => {
    const error = new Error('x'.repeat(10_000), { cause: new TypeError('deep down') })
    const [first = '', ...frames] = describeFault({
      kind: 'callback-failed',
      message: 'm',
      error,
      suppressed: 3,
    }).split('\n')

    expect(first.length).toBeLessThan(1_200)
    expect(first).toMatch(/… \(because of TypeError: deep down\); 3 more like it are not shown$/)
    expect(frames.length).toBeLessThanOrEqual(8)
  })

  it('shows the frames in the code of the author, which is what can be mended', () => {
    const own = 'at invoke (file:///home/ada/node_modules/mcpwire/dist/lib/chunks/main.js:7418:22)'
    const node = 'at process.processTicksAndRejections (node:internal/process/task_queues:95:5)'
    const error = new Error('no')
    const framesOf = (...frames: string[]) => {
      error.stack = ['Error: no', ...frames].join('\n    ')
      return describeFault({ kind: 'handler-failed', message: 'm', error }).split('\n').slice(1)
    }
    const mine = ['at save (/home/ada/server.ts:4:1)', 'at add (/home/ada/server.ts:14:92)']
    expect(framesOf(own, ...mine, own, node, own)).toEqual(mine.map((frame) => `    ${frame}`))
    // Without such code nothing can be mended there: the message is enough.
    expect(framesOf(own, own)).toEqual([])
  })

  it('needs no error that is an Error', () => {
    expect(describeFault({ kind: 'transport', message: 'm', error: 'plain' })).toBe('mcpwire: m [transport]: plain')
    const textless = Object.assign(new Error('x'), { cause: Object.create(null), message: Object.create(null) })
    for (const error of [Object.create(null), textless]) {
      expect(describeFault({ kind: 'handler-failed', message: 'm', error })).toContain('a value that cannot be shown')
    }
    const stackless = Object.assign(new Error('bare'), { stack: undefined })
    expect(describeFault({ kind: 'handler-failed', message: 'm', error: stackless })).toBe(
      'mcpwire: m [handler-failed]: Error: bare',
    )
  })
})

describe('FaultReporter', () => {
  it('remembers so many doubts and no other faults until somebody listens', () => {
    const reporter = new FaultReporter(undefined)
    reporter.report({ kind: 'transport', message: 'lost' })
    for (let i = 0; i < 50; i++) reporter.report({ kind: 'configuration-warning', message: `doubt ${i}` })
    const heard: string[] = []
    reporter.listenInstead(({ message }) => heard.push(message))
    reporter.listenInstead(() => heard.push('second'))
    reporter.report({ kind: 'transport', message: 'told' })

    expect(heard).toEqual([...Array.from({ length: 16 }, (_, i) => `doubt ${i}`), 'told'])
  })
})

// What stands on the pipes themselves: every line one message, and only those that the era lets its side write.
import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { stdio } from '../../../../src/node/stdio/stdio-client.ts'
import { serveStdio } from '../../../../src/node/stdio/stdio-server.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { Server } from '../../../../src/server/server.ts'
import { modernBody } from '../../../support/modern-messages.ts'

/** Shows on its standard error what it reads, asks what no modern server may ask, and answers nothing. */
const ASKING_SERVER = `
  const lines = require('node:readline').createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    process.stderr.write(JSON.stringify(line) + '\\n')
    if (!line.includes('"tools/call"')) return
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'roots/list' }) + '\\n')
  })
`

it('C-STDIO-02 C-STDIO-03 C-STDIO-05 a modern client writes requests and notifications, one per line, and no answer', async () => {
  const lines: string[] = []
  const stderr = (line: string) => void lines.push(JSON.parse(line) as string)
  const faults: unknown[] = []
  const onListRoots = vi.fn(() => ({ roots: [] }))
  const transport = stdio({ command: process.execPath, args: ['-e', ASKING_SERVER], stderr })
  await using client = await Client.connect(transport, {
    mode: '2026-07-28',
    onListRoots,
    onFault: (fault) => faults.push(fault),
  })
  const abort = new AbortController()
  const call = client.callTool('run', { text: 'two\nlines\r\n\u2028' }, { signal: abort.signal })
  await vi.waitFor(() => expect(faults).toHaveLength(1))
  abort.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  await vi.waitFor(() => expect(lines).toHaveLength(2))
  await client.close()

  const messages = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(messages.map(({ jsonrpc, method }) => [jsonrpc, method])).toEqual([
    ['2.0', 'tools/call'],
    ['2.0', 'notifications/cancelled'],
  ])
  expect(onListRoots).not.toHaveBeenCalled()
})

it('S-STDIO-05 a modern server writes nothing more for a request that was cancelled', async () => {
  const [entered, left] = [createDeferred(), createDeferred()]
  const server = new Server('subject', {
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': async (ctx) => {
        entered.resolve()
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        await ctx.reportProgress(1)
        left.resolve()
        return { content: [] }
      },
    },
  })
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = serveStdio(server, { input, output })
  const write = (message: object) => input.write(`${JSON.stringify(message)}\n`)
  write(modernBody({ id: 'slow', params: { name: 'run' }, meta: { progressToken: 'p' } }))
  await entered.promise
  write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } })
  await left.promise
  write(modernBody({ id: 'next', method: 'tools/list' }))
  input.end()
  await serving

  const written = String(output.read()).trimEnd().split('\n')
  expect(written.map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual(['next'])
})

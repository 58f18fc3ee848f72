// The server's side of stdio, in processes of its own.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { stdio } from '../../../../src/node/stdio/stdio-client.ts'
import { serveStdio } from '../../../../src/node/stdio/stdio-server.ts'
import { Server } from '../../../../src/server/server.ts'
import { bundleFixtures } from '../../../support/bundle.ts'
import { startNode } from '../../../support/child.ts'

let SERVED = ''
beforeAll(async () => {
  ;[SERVED = ''] = await bundleFixtures('stdio-server', ['served.js'])
})

const textOf = (result: { content: unknown }) => (result.content as { text: string }[])[0]?.text

/** The server as a bare process, spoken to line by line. */
function start() {
  const { process: child, output, printed, ended: exited } = startNode([SERVED])
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const initialize = () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    send({ id: 0, method: 'initialize', params })
    send({ method: 'notifications/initialized' })
  }
  const said = (text: string) => printed(text, 'stderr')
  const messages = () =>
    output.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const answered = async (id: unknown) => {
    for (;;) {
      const answer = messages().find((message) => message['id'] === id)
      if (answer !== undefined) return answer
      // An exit is no answer, and says more than a test that waits for ever.
      const [exit] = await Promise.race([once(child.stdout, 'data').then(() => []), exited])
      if (exit !== undefined) throw new Error(`the server has exited with code ${exit}`)
    }
  }
  return { child, send, initialize, said, answered, messages, exited, stderr: () => output.stderr }
}

describe('a server on stdio', () => {
  it.each(['auto', 'legacy'] as const)('serves a client of ours in mode %s', async (mode) => {
    const lines: string[] = []
    const transport = stdio({ command: process.execPath, args: [SERVED], stderr: (line) => lines.push(line) })
    const client = await Client.connect(transport, { mode })
    expect(textOf(await client.callTool('add', { a: 1, b: 2 }))).toBe('3')
    expect(textOf(await client.callTool('large', { length: 3_000_000 }))).toHaveLength(3_000_000)
    await client.close()
    // It left by itself when its input ended.
    expect(lines).toContain('served')
  })

  it('is a target by its command', async () => {
    await using client = await Client.connect({ command: process.execPath, args: [SERVED] })
    expect(textOf(await client.callTool('add', { a: 2, b: 2 }))).toBe('4')
  })

  it('S-STDIO-02 F035 keeps stdout for the protocol, and names who else wrote to it, once', async () => {
    const server = start()
    server.initialize()
    server.send({ id: 1, method: 'tools/call', params: { name: 'noise' } })
    server.send({ id: 2, method: 'tools/call', params: { name: 'noise' } })
    server.child.stdin.end()
    await server.exited
    expect(server.messages().map(({ id }) => id)).toEqual([0, 1, 2])
    expect(server.stderr().match(/noise by console\.log/g)).toHaveLength(2)
    expect(server.stderr().match(/noise by write/g)).toHaveLength(2)
    expect(server.stderr().match(/stdout belongs to the protocol/g)).toHaveLength(1)
    expect(server.stderr()).toContain('served.js')
  })

  it('S-STDIO-04 R42 F031 exits by itself when its input ends, with code 0', async () => {
    const server = start()
    server.child.stdin.end()
    expect(await server.exited).toEqual([0, null])
  })

  it('R42 R53 F032 finishes running calls when its input ends, and F038 writes everything before it exits', async () => {
    const server = start()
    server.initialize()
    server.send({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: { ms: 100 } } })
    server.send({ id: 2, method: 'tools/call', params: { name: 'large', arguments: { length: 2_000_000 } } })
    server.child.stdin.end()
    expect(await server.exited).toEqual([0, null])
    const answers = new Map(server.messages().map((message) => [message['id'], message]))
    expect(answers.get(1)).toMatchObject({ result: { content: [{ text: 'finished' }] } })
    expect(textOf((answers.get(2) as { result: { content: unknown } }).result)).toHaveLength(2_000_000)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('finishes on %s, and dies of it', async (signal) => {
    const server = start()
    server.initialize()
    server.send({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: { ms: 100 } } })
    await server.said('begun')
    server.child.kill(signal)
    expect(await server.exited).toEqual([null, signal])
    expect(server.messages().at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'finished' }] } })
  })

  it('reads cancellations and pings under load: 800 hanging calls are cancelled, and the next call is answered', async () => {
    const server = start()
    server.initialize()
    for (let id = 1; id <= 800; id++) server.send({ id, method: 'tools/call', params: { name: 'hang' } })
    server.send({ id: 'ping', method: 'ping' })
    await server.answered('ping')
    for (let requestId = 1; requestId <= 800; requestId++) {
      server.send({ method: 'notifications/cancelled', params: { requestId } })
    }
    server.send({ id: 'after', method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } })
    expect(await server.answered('after')).toMatchObject({ result: { content: [{ text: '3' }] } })
    server.child.kill('SIGKILL')
    await server.exited
  })

  it('stays while its input is open, although its handlers hold nothing open', async () => {
    const server = start()
    server.initialize()
    const hang = (id: number, padding: string) =>
      server.send({ id, method: 'tools/call', params: { name: 'hang', arguments: { padding } } })
    for (let id = 1; id <= 256; id++) hang(id, '')
    // More than may wait, so that it stops to read for a while. What does not fit is refused, and it reads on.
    for (let id = 257; id <= 275; id++) hang(id, 'x'.repeat(4_000_000))
    const refused = { error: { code: -32603, data: { limit: 'maxWaitingBytes' } } }
    expect(await server.answered(275)).toMatchObject(refused)
    server.send({ id: 'ping', method: 'ping' })
    await server.answered('ping')
    expect(server.child.exitCode).toBeNull()
    server.child.kill('SIGKILL')
    await server.exited
  })

  it('F034 takes a client that no longer reads as the end', async () => {
    const server = start()
    server.initialize()
    while (server.messages().length === 0) await once(server.child.stdout, 'data')
    server.child.stdout.destroy()
    server.send({ id: 1, method: 'tools/call', params: { name: 'large', arguments: { length: 1_000_000 } } })
    const [code] = await server.exited
    expect(code).toBe(0)
    expect(server.stderr()).not.toContain('EPIPE')
  })

  it('F039 rejects a second server on the same streams', async () => {
    const server = start()
    server.initialize()
    server.send({ id: 1, method: 'tools/call', params: { name: 'twice' } })
    server.child.stdin.end()
    await server.exited
    expect(server.messages().at(-1)).toMatchObject({
      result: { content: [{ text: 'stdio is in use: this process already serves another server over it' }] },
    })
  })

  it('responds to lines that it cannot read, and continues', async () => {
    const server = start()
    server.child.stdin.write('this is no JSON\n')
    server.initialize()
    server.child.stdin.end()
    await server.exited
    expect(server.messages()).toMatchObject([{ error: { code: -32700 } }, { id: 0, result: {} }])
  })

  it('answers lines that are too long, by the id at their end, and stays however long they are', async () => {
    const server = start()
    server.initialize()
    for (const megabytes of [5, 17, 5, 5]) {
      const params = { name: 'add', arguments: { a: 'x'.repeat(megabytes * 1024 * 1024) } }
      server.child.stdin.write(`${JSON.stringify({ method: 'tools/call', params, jsonrpc: '2.0', id: megabytes })}\n`)
    }
    server.send({ id: 'ping', method: 'ping' })
    const refusal = { error: { code: -32600, data: { limit: 'maxLineBytes', max: 4 * 1024 * 1024 } } }
    expect(await server.answered(17)).toMatchObject(refusal)
    await server.answered('ping')
    server.child.stdin.end()
    expect(await server.exited).toEqual([0, null])
    expect(server.messages().map(({ id }) => id)).toEqual([0, 5, 17, 5, 5, 'ping'])
  })

  it('ends with an error when its input has no lines at all', async () => {
    const server = start()
    server.child.stdin.on('error', () => {})
    server.child.stdin.write('x'.repeat(20 * 1024 * 1024))
    expect(await server.exited).toEqual([1, null])
    expect(server.stderr()).toMatch(/maxLineBytes/)
  })

  it('serves over other streams without touching the process', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const write = process.stdout.write
    const serving = serveStdio(new Server('injected'), { input, output })
    expect(process.stdout.write).toBe(write)
    input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    const [line] = (await once(output, 'data')) as [Buffer]
    expect(JSON.parse(line.toString())).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    input.end()
    await serving
  })

  it('takes lines as long as maxLineBytes says, and no longer ones', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const serving = serveStdio(new Server('short lines'), { input, output, maxLineBytes: 200 })
    const ask = async (id: string) => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`)
      const [line] = (await once(output, 'data')) as [Buffer]
      return JSON.parse(line.toString()) as { error?: unknown }
    }
    expect(await ask('x'.repeat(100))).toMatchObject({ result: {} })
    expect((await ask('x'.repeat(200))).error).toMatchObject({
      code: -32600,
      data: { limit: 'maxLineBytes', max: 200 },
    })
    input.end()
    await serving
    await expect(serveStdio(new Server('none'), { input, output, maxLineBytes: 0 })).rejects.toThrow(RangeError)
  })

  it('takes longer lines than by default', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const serving = serveStdio(new Server('long lines'), { input, output, maxLineBytes: 8 * 1024 * 1024 })
    const params = { _meta: { pad: 'x'.repeat(5 * 1024 * 1024) } }
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params })}\n`)
    const [line] = (await once(output, 'data')) as [Buffer]
    expect(JSON.parse(line.toString())).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    input.end()
    await serving
  })
})

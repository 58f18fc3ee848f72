// A server behind a launcher: nothing that it starts reaches the protocol, and it lives exactly as long as its stand-in.
import { once } from 'node:events'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { stdio } from '../../../../src/node/stdio/stdio-client.ts'
import { launchStdioServer } from '../../../../src/node/stdio/stdio-launcher.ts'
import { bundleFixtures } from '../../../support/bundle.ts'
import { startNode } from '../../../support/child.ts'
import { expectGone } from './stdio-client-support.ts'

let launcher = ''
let served = ''

beforeAll(async () => {
  ;[launcher = '', served = ''] = await bundleFixtures('launcher', ['launcher.js', 'served.js'])
})

const textOf = (result: { content: unknown }) => (result.content as { text: string }[])[0]?.text ?? ''

async function connect() {
  const lines: string[] = []
  const transport = stdio({
    command: process.execPath,
    args: [launcher, served],
    env: { OWN_VARIABLE: 'yes' },
    stderr: (line) => lines.push(line),
  })
  const faults: unknown[] = []
  const client = await Client.connect(transport, { onFault: (fault) => faults.push(fault) })
  return { client, lines, faults, call: async (name: string, args = {}) => textOf(await client.callTool(name, args)) }
}

/** A launcher that is spoken to by hand. */
function start(args: string[], env: Record<string, string> = {}) {
  const { process: child, output, ended } = startNode([launcher, ...args], env)
  const call = (id: number, name: string, args = {}) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`)
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const messages = () =>
    output.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const answered = async (id: number) => {
    for (;;) {
      const message = messages().find((candidate) => candidate.id === id)
      if (message !== undefined) return textOf(message.result)
      await once(child.stdout, 'data')
    }
  }
  return { child, output, call, messages, answered, exited: ended }
}

describe('a launched server', () => {
  it('F036 a child that inherits its streams neither writes into the protocol nor reads from it', async () => {
    const { client, lines, faults, call } = await connect()
    const left = call('child')
    expect(await call('add', { a: 1, b: 2 })).toBe('3')
    // Its input is empty, so it came to its end without having read a byte.
    expect(await left).toBe('child left with 0')
    await call('noise')
    await client.close()
    expect(faults).toEqual([])
    expect(lines).toEqual(expect.arrayContaining(['noise by a child', 'noise by console.log', 'served', 'launched']))
  })

  it('F036 without a launcher the same child does corrupt it', async () => {
    const faults: unknown[] = []
    const transport = stdio({ command: process.execPath, args: [served], stderr: 'ignore' })
    await using client = await Client.connect(transport, { onFault: (fault) => faults.push(fault) })
    void client.callTool('child').catch(() => {})
    const noise = { message: expect.stringContaining('noise by a child') }
    await vi.waitFor(() => expect(faults).toMatchObject([noise]))
  })

  it('carries large answers both ways round, and hides how it was found', async () => {
    const { client, call } = await connect()
    expect(await call('large', { length: 3_000_000 })).toHaveLength(3_000_000)
    const variables = await call('variables')
    expect(variables).toContain('OWN_VARIABLE')
    expect(variables).not.toContain('MCPWIRE')
    await client.close()
  })

  it('finishes what it is at when the input of its launcher ends, and its exit code passes through', async () => {
    const server = start([served])
    server.child.stdin.end(server.call(1, 'slow', { ms: 50 }) + server.call(2, 'large', { length: 2_000_000 }))
    expect(await server.exited).toEqual([0, null])
    expect(
      server
        .messages()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([0, 1, 2])

    const other = start([served])
    other.child.stdin.write(other.call(1, 'exit', { code: 7 }))
    expect(await other.exited).toEqual([7, null])
  })

  it('F033 F021 exits when its launcher is killed, and ends its children at a signal', async () => {
    const killed = start([served])
    killed.child.stdin.write(killed.call(1, 'pid'))
    const pid = Number(await killed.answered(1))
    killed.child.kill('SIGKILL')
    await expectGone(pid)

    const told = start([served])
    told.child.stdin.write(told.call(1, 'pid') + told.call(2, 'stubborn'))
    const pids = [Number(await told.answered(1)), Number(await told.answered(2))]
    told.child.kill('SIGTERM')
    expect(await told.exited).toEqual([143, null])
    await expectGone(...pids)
  })

  it('F020 is ended by force when it does not exit', async () => {
    const script = 'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)'
    const server = start(['-e', script], { HASTY: 'yes' })
    await once(server.child.stderr, 'data')
    server.child.stdin.end()
    expect(await server.exited).toEqual([137, null])
    expect(server.output).toEqual({ stdout: '', stderr: 'up\nlaunched\n' })
  })

  it('F001 fails clearly when the program cannot be started', async () => {
    await expect(launchStdioServer({ command: '/no/such/program' })).rejects.toThrow(/Cannot start .*ENOENT.*not found/)
    await expect(launchStdioServer({ command: '' })).rejects.toThrow(TypeError)
  })
})

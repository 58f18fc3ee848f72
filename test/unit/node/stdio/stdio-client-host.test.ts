// A whole host with its servers: how it leaves, what it leaves behind, and that real servers of both eras can be spoken to.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { stdio } from '../../../../src/node/stdio/stdio-client.ts'
import type { CallToolResult } from '../../../../src/types/features/tools.ts'
import {
  LATEST_LEGACY_VERSION,
  LATEST_MODERN_VERSION,
  LEGACY_VERSIONS,
} from '../../../../src/types/protocol/versions.ts'
import { expectGone, expectNothingLeft, isAlive } from './stdio-client-support.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const HOST = pathOf('test/fixtures/stdio/host.js')
const DOOR = pathOf('build/fixtures/node.js')
const SERVER = pathOf('build/fixtures/mcp-server.js')

beforeAll(async () => {
  mkdirSync(pathOf('build/fixtures'), { recursive: true })
  await build({
    absWorkingDir: pathOf('.'),
    entryPoints: ['src/exports/node.ts', 'test/fixtures/stdio/mcp-server.js'],
    outdir: 'build/fixtures',
    entryNames: '[name]',
    alias: { '#platform': pathOf('src/node/platform.ts') },
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
})

expectNothingLeft()

interface Host {
  readonly pid: number
  /** The next line that the host writes, as JSON. */
  next(): Promise<unknown>
  write(text: string): void
  readonly stderr: Readable
  /** How the host ended. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>
}

function startHost(behaviour: string, args: string[] = [], shell?: string): Host {
  const command = [process.execPath, HOST, pathToFileURL(DOOR).href, behaviour, ...args]
  const [program = '', ...rest] = shell === undefined ? command : ['/bin/sh', '-c', shell, 'sh', ...command]
  const host = spawn(program, rest)
  host.stderr.resume()
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]()
  return {
    pid: host.pid ?? 0,
    next: async () => JSON.parse((await lines.next()).value as string),
    write: (text) => host.stdin.write(text),
    stderr: host.stderr,
    ended: once(host, 'close').then(([code, signal]) => ({ code, signal })),
  }
}

async function pidsOf(host: Host): Promise<number[]> {
  return Object.values((await host.next()) as Record<string, number>)
}

describe('a host that exits without closing', () => {
  it('by process.exit(): its servers and all they have started are ended', async () => {
    const host = startHost('exits')
    const pids = await pidsOf(host)
    expect(await host.ended).toEqual({ code: 5, signal: null })
    await expectGone(...pids)
  })

  it('by an exception', async () => {
    const host = startHost('throws')
    const pids = await pidsOf(host)
    expect(await host.ended).toEqual({ code: 1, signal: null })
    await expectGone(...pids)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'F028 by %s: after its servers, and by that very signal',
    async (signal) => {
      const host = startHost('waits')
      const pids = await pidsOf(host)
      process.kill(host.pid, signal)
      expect(await host.ended).toEqual({ code: null, signal })
      await expectGone(...pids)
    },
  )

  it('F028 a host that listens for the signal decides for itself', async () => {
    const host = startHost('listens')
    const pids = await pidsOf(host)
    process.kill(host.pid, 'SIGTERM')
    expect(await host.next()).toBe('mine')
    expect(pids.map(isAlive)).toEqual([true, true])
    host.write('leave')
    expect(await host.ended).toEqual({ code: 6, signal: null })
    await expectGone(...pids)
  })

  it('F028 two copies of this package in one host do not wait for each other', async () => {
    const host = startHost('has-two-copies')
    const pids = [...(await pidsOf(host)), ...(await pidsOf(host))]
    process.kill(host.pid, 'SIGTERM')
    expect(await host.ended).toEqual({ code: null, signal: 'SIGTERM' })
    await expectGone(...pids)
  })

  it('F028 nor does it wait for signal-exit, which waits for it', async () => {
    const host = startHost('listens-politely')
    const pids = await pidsOf(host)
    process.kill(host.pid, 'SIGTERM')
    expect(await host.ended).toEqual({ code: null, signal: 'SIGTERM' })
    await expectGone(...pids)
  })
})

describe('a host that stays', () => {
  it('F029 out of descriptors: the failure is typed, nothing is leaked, and later all is well', async () => {
    const host = startHost('few-descriptors', [], 'ulimit -n 64; exec "$@"')
    const outcome = (await host.next()) as { message: string; descriptors: [number, number] }
    expect(outcome).toMatchObject({ code: expect.stringMatching(/^(EMFILE|ENFILE|EAGAIN)$/) })
    expect(outcome.descriptors[1]).toBe(outcome.descriptors[0])
    expect(outcome.message).toMatch(/too many processes or files/)
    expect(await host.ended).toEqual({ code: 0, signal: null })
  })

  const rounds = process.env['MCPWIRE_LONG_TESTS'] ? 1_000 : 50
  it(`R42 ${rounds} rounds of open, call, close leave nothing`, async () => {
    const host = startHost('rounds', [String(rounds)])
    const counts = (await host.next()) as Record<'active' | 'listeners' | 'descriptors', [unknown, unknown]>
    for (const [before, after] of Object.values(counts)) expect(after).toEqual(before)
    expect(counts.active[1]).not.toContain('ProcessWrap')
    expect(counts.active[1]).not.toContain('Timeout')
    expect(await host.ended).toEqual({ code: 0, signal: null })
  }, 300_000)

  it('continues when the reader of its stderr, which has that of its server, is closed', async () => {
    const host = startHost('passes-stderr-on', [], 'exec "$@" 2>&-')
    expect(await host.next()).toBe('alive')
    expect(await host.ended).toEqual({ code: 0, signal: null })
    const other = startHost('passes-stderr-on')
    other.stderr.destroy()
    expect(await other.next()).toBe('alive')
    expect(await other.ended).toEqual({ code: 0, signal: null })
  })
})

describe('a real server', () => {
  const textOf = ({ content: [block] }: CallToolResult) => (block?.type === 'text' ? block.text : undefined)

  const connect = (versions: readonly string[] = [], mode: 'auto' | 'legacy' = 'auto') =>
    Client.connect(stdio({ command: process.execPath, args: [SERVER, ...versions], stderr: 'ignore' }), { mode })

  const eras = [
    { era: 'modern', versions: [], mode: 'auto', expected: LATEST_MODERN_VERSION },
    {
      era: 'legacy, found by asking',
      versions: LEGACY_VERSIONS,
      mode: 'auto',
      expected: LATEST_LEGACY_VERSION,
    },
    { era: 'legacy, asked for', versions: [], mode: 'legacy', expected: LATEST_LEGACY_VERSION },
  ] as const

  it.each(eras)('C-STDIO-12 $era: lists, calls, and has exited after close()', async ({ versions, mode, expected }) => {
    const client = await connect(versions, mode)
    expect(client.protocolVersion).toBe(expected)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('add')
    expect(await client.callTool('add', { a: 1, b: 2 })).toMatchObject({ content: [{ type: 'text', text: '3' }] })
    const pid = Number(textOf(await client.callTool('pid')))
    await client.close()
    await expectGone(pid)
  })

  it.each(eras)('$era: 64 calls at once, answered in the reverse order', async ({ versions, mode }) => {
    await using client = await connect(versions, mode)
    const calls = Array.from({ length: 64 }, (_, index) => client.callTool('together', { index, of: 64 }))
    const answers = (await Promise.all(calls)).map(textOf)
    expect(answers).toEqual(calls.map((_, index) => String(index)))
  })

  it('F026 close() while it connects', async () => {
    const client = new Client(stdio({ command: process.execPath, args: [SERVER], stderr: 'ignore' }))
    const opening = client.open()
    const closing = client.close()
    await expect(opening).rejects.toThrow()
    await closing
  })
})

// What a server on stdio does when its streams, or whoever holds their other end, are not what it would wish for.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { serveStdio } from '../../../../src/node/stdio/stdio-server.ts'
import type { ServerRequestContext } from '../../../../src/server/context.ts'
import { Server } from '../../../../src/server/server.ts'
import type { CallToolResult } from '../../../../src/types/features/tools.ts'
import { bundleFixtures } from '../../../support/bundle.ts'
import { createFolder } from '../files/temporary-folder.ts'
import { expectGone } from './stdio-client-support.ts'

let served = ''

beforeAll(async () => {
  ;[served = ''] = await bundleFixtures('streams', ['served.js'])
})

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const INITIALIZE =
  line({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  }) + line({ method: 'notifications/initialized' })
const call = (id: number, name: string) => line({ id, method: 'tools/call', params: { name, arguments: {} } })

/** Runs the server on an input of the system, to its end. */
async function runOn(input: number | 'ignore', shell?: string) {
  const command = [process.execPath, served]
  const [program = '', ...args] = shell === undefined ? command : ['/bin/sh', '-c', shell, 'sh', ...command]
  const child = spawn(program, args, { stdio: [input, 'pipe', 'ignore'] })
  const exited = once(child, 'close')
  let stdout = ''
  for await (const chunk of child.stdout ?? []) stdout += chunk
  const [code] = await exited
  const ids = stdout
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text).id)
  return { code, ids }
}

async function withFile<T>(path: string, work: (descriptor: number) => Promise<T>): Promise<T> {
  const descriptor = openSync(path, 'r')
  try {
    return await work(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

describe('an input that has ended before anybody reads it', () => {
  it.each([
    ['ended', (input: PassThrough) => input.resume().end()],
    ['destroyed', (input: PassThrough) => input.destroy()],
  ])('%s: the server ends', async (_how, end) => {
    const input = new PassThrough()
    end(input)
    await once(input, 'close')
    await serveStdio(new Server('late'), { input, output: new PassThrough() })
  })
})

describe('an input that is no pipe', () => {
  it('F040 a file: answered to its end', async () => {
    await using folder = await createFolder()
    const path = await folder.write('script', INITIALIZE + call(1, 'pid') + call(2, 'noise'))
    expect(await withFile(path, runOn)).toEqual({ code: 0, ids: [0, 1, 2] })
  })

  it('F040 /dev/null: the end at once', async () => {
    expect(await runOn('ignore')).toEqual({ code: 0, ids: [] })
  })

  it('F040 closed: the end at once', async () => {
    expect(await runOn('ignore', 'exec "$@" <&-')).toEqual({ code: 0, ids: [] })
  })

  it('F040 F013 a file without end or lines: given up, not read for ever', async () => {
    expect(await withFile('/dev/zero', runOn)).toMatchObject({ code: 1, ids: [] })
  })
})

describe('a host that is not there', () => {
  it('F033 killed: no server outlives it', async () => {
    const script = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, [${JSON.stringify(served)}], { stdio: ['pipe', 'inherit', 'ignore'] })
      child.stdin.write(${JSON.stringify(INITIALIZE + call(1, 'pid'))})
    `
    const pids = Array.from({ length: 4 }, async () => {
      const host = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
      let output = ''
      for await (const chunk of host.stdout) {
        output += chunk
        if (output.split('\n').length > 2) break
      }
      host.kill('SIGKILL')
      return Number(JSON.parse(output.split('\n')[1] ?? '').result.content[0].text)
    })
    await expectGone(...(await Promise.all(pids)))
  })

  it('F037 does not read: handlers wait, what waits is bounded, and nothing is lost', async () => {
    let started = 0
    const text = 'x'.repeat(200_000)
    const { input, output, serving } = serveSlowly(async () => {
      started += 1
      return { content: [{ type: 'text', text }] }
    })
    for (let id = 1; id <= 400; id++) input.write(call(id, 'x'))
    await vi.waitFor(() => expect(started).toBe(256))
    // 16 MiB may wait in the pipe; the other answers wait with their handlers.
    expect(output.readableLength + output.writableLength).toBeLessThan(17_000_000)
    input.end()
    let answers = 0
    for await (const chunk of output) answers += String(chunk).split('\n').length - 1
    await serving
    expect(answers).toBe(401)
  })

  it('F037 a client that does not read while a handler sends more than the limit: the connection ends', async () => {
    const { input, output, serving } = serveSlowly((ctx) => {
      const data = 'x'.repeat(1_000_000)
      for (let index = 0; index < 64; index++) void ctx.session.sendLogMessage('info', data)
      return new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', reject))
    })
    input.write(call(1, 'x'))
    await serving
    expect(output.writableLength).toBeLessThan(18_000_000)
  })
})

function serveSlowly(onCall: (ctx: ServerRequestContext) => Promise<CallToolResult>) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const handlers = { 'tools/list': () => ({ tools: [] }), 'tools/call': onCall, 'logging/setLevel': () => ({}) }
  const serving = serveStdio(new Server('slow', { handlers, onFault: () => {} }), { input, output })
  input.write(INITIALIZE)
  return { input, output, serving }
}

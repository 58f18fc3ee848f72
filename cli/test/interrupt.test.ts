// Ctrl-C in every state: children end first, the exit code is 130, and nothing is left behind.

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { program, startCommand } from '../../test/support/command-line.ts'

/** Processes that carry this mark in their environment, their own children included. */
function processesOf(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)
      } catch {
        return false
      }
    })
}

let last = 0

/** A command whose processes can be found again, and the text that it printed. */
function start(args: readonly string[]) {
  last += 1
  const mark = `MCPWIRE_TEST_MARK=${process.pid}-${last}`
  const [name = '', value = ''] = mark.split('=')
  const child = startCommand([...args], { env: { [name]: value } })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, mark: [...args].includes('-e') ? mark : mark }
}

async function printed(child: ChildProcessWithoutNullStreams, text: string): Promise<void> {
  let seen = ''
  for await (const chunk of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    seen += String(chunk)
    if (seen.includes(text)) return
  }
  throw new Error(`It ended without printing ${text}: ${seen}`)
}

const SILENT = "console.error('started'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"

/** The mark reaches servers too. */
const withMark = (mark: string) => ['-e', mark]

describe.skipIf(process.platform !== 'linux')('cli C7: Ctrl-C', () => {
  async function interrupted(
    args: (mark: string) => readonly string[],
    text: string | undefined,
    signal: 'SIGINT' | 'SIGTERM' = 'SIGINT',
  ) {
    const mark = `MCPWIRE_TEST_MARK=${process.pid}-${last + 1}`
    const { child } = start(args(mark))
    if (text === undefined) await once(child, 'spawn')
    else await printed(child, text)
    child.stderr.resume()
    child.stdout.resume()
    child.kill(signal)
    const [code] = (await once(child, 'exit')) as [number | null]
    return { code, left: processesOf(mark) }
  }

  it.each([
    [
      'list',
      'while a server starts',
      (mark: string) => ['list', ...withMark(mark), '--', process.execPath, '-e', SILENT],
      'started',
    ],
    ['call', 'during a call', (mark: string) => ['call', program('reports.js'), 'for-ever', ...withMark(mark)], '1'],
    [
      'listen',
      'while it listens',
      (mark: string) => ['listen', program('exported.js'), ...withMark(mark)],
      'Listening for',
    ],
    [
      'doctor',
      'while a server starts',
      (mark: string) => ['doctor', '--verbose', ...withMark(mark), '--', process.execPath, '-e', SILENT],
      'started',
    ],
    [
      'tasks',
      'while a server starts',
      (mark: string) => ['tasks', ...withMark(mark), '--', process.execPath, '-e', SILENT],
      'started',
    ],
    [
      'inspect',
      'while a server starts',
      (mark: string) => ['inspect', '--json', ...withMark(mark), '--', process.execPath, '-e', SILENT],
      'started',
    ],
    [
      'read',
      'while a wrapper, such as npx, runs something else',
      (mark: string) => [
        'read',
        'a://b',
        ...withMark(mark),
        '--',
        '/bin/sh',
        '-c',
        `${process.execPath} -e "${SILENT.replaceAll('"', '\\"')}" & wait`,
      ],
      'started',
    ],
  ])('%s %s: exits 130 and leaves no process', async (_verb, _when, args, text) => {
    expect(await interrupted(args, text)).toEqual({ code: 130, left: [] })
  })

  it('call during the download of an npx server: exits 130 and leaves no process', async () => {
    // A registry that never answers.
    const registry = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1')
    await once(registry, 'listening')
    onTestFinished(() => void registry.close())
    const cache = mkdtempSync(join(tmpdir(), 'mcpwire-npm-'))
    onTestFinished(() => rmSync(cache, { recursive: true, force: true }))
    const { port } = registry.address() as { port: number }
    const mark = `MCPWIRE_TEST_MARK=${process.pid}-${last + 1}`
    const settings = [`npm_config_registry=http://127.0.0.1:${port}`, `npm_config_cache=${cache}`, mark]
    const env = settings.flatMap((setting) => ['-e', setting])
    const { child } = start(['call', 'add', ...env, '--', 'npx', '-y', 'a-server-that-is-downloaded'])
    child.stderr.resume()
    await once(registry, 'connection')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    expect(processesOf(mark)).toEqual([])
  })

  it.each([
    ['list of a command', (mark: string) => ['list', ...withMark(mark), '--', process.execPath, '-e', SILENT]],
    ['list of a file', (mark: string) => ['list', program('stubborn.js'), ...withMark(mark)]],
    ['run', () => ['run', program('stubborn.js')]],
    ['dev', () => ['dev', program('stubborn.js'), '--port', '0', '--no-inspector']],
  ])('kill -9 of %s: a server that ignores SIGTERM and the end of its input ends too', async (_verb, args) => {
    const mark = `MCPWIRE_TEST_MARK=${process.pid}-${last + 1}`
    const { child } = start(args(mark))
    await printed(child, 'started')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expect.poll(() => processesOf(mark), { timeout: 60_000, interval: 100 }).toEqual([])
  })

  it('while it connects to a URL that does not answer', async () => {
    const accepted = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1')
    await once(accepted, 'listening')
    onTestFinished(() => void accepted.close())
    const { port } = accepted.address() as { port: number }
    const { child } = start(['list', `:${port}/mcp`, '--verbose'])
    await once(accepted, 'connection')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
  })

  it('SIGTERM exits 143', async () => {
    const outcome = await interrupted(
      (mark) => ['listen', program('exported.js'), ...withMark(mark)],
      'Listening for',
      'SIGTERM',
    )
    expect(outcome).toEqual({ code: 143, left: [] })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('run: %s ends the server and everything it started', async (signal) => {
    const outcome = await interrupted(() => ['run', program('exported.js')], 'printed while loading', signal)
    expect(outcome.left).toEqual([])
    expect([0, 130, 143]).toContain(outcome.code)
  })
})

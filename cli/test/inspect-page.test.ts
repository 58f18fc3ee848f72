import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { describeInChromium } from '../../test/browser/chromium.ts'
import { exchange } from '../../test/inspector/support.ts'
import { mcpwire, program, startCommand } from '../../test/support/command-line.ts'
import { openerFor } from '../terminal/redirect-page.ts'
import { type AtTerminal, hasScript, type OpenedFile, startAtTerminal } from './at-terminal.ts'

it('opens the inspector for a command, serves its page, and ends it and its child at Ctrl-C', async () => {
  const child = startCommand([
    'inspect',
    '--no-open',
    '--port',
    '0',
    '--',
    process.execPath,
    program('stdio-server.js'),
  ])
  const ended = once(child, 'close')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const url = new URL(/^Inspector {2}(\S+)$/.exec(line)?.[1] ?? '')
  expect(url.hostname).toBe('127.0.0.1')
  const page = await fetch(url.origin)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>mcpwire inspector</title>')
  const { session } = (await (await exchange(url.href)).json()) as { session: string }
  const abort = new AbortController()
  const events = await fetch(`${url.origin}/api/events`, {
    headers: { authorization: `Bearer ${session}` },
    signal: abort.signal,
  })
  let text = ''
  for await (const chunk of events.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('"status":"ready"')) break
  }
  abort.abort()
  child.kill('SIGINT')
  expect(await ended).toEqual([130, null])
})

it('listens beyond this machine only with --allow-remote', async () => {
  const { code, stderr } = await mcpwire(['inspect', '--host', '0.0.0.0', '--no-open'])
  expect(code).toBe(2)
  expect(stderr).toContain('--host 0.0.0.0 lets other machines open the inspector.')
  expect(stderr).toContain('--allow-remote')
})

it('prints the next link where a link was used and nobody sits at a keyboard', async () => {
  const child = startCommand([
    'inspect',
    '--no-open',
    '--port',
    '0',
    '--',
    process.execPath,
    program('stdio-server.js'),
  ])
  const ended = once(child, 'close')
  const notes: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => notes.push(line))
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const first = /http\S+/.exec(line)?.[0] ?? ''
  expect((await exchange(first)).status).toBe(200)
  const next = await vi.waitFor(() => {
    const found = notes.map((note) => /^Inspector {2}(http\S+)$/.exec(note)?.[1]).find((url) => url !== undefined)
    expect(found).toBeDefined()
    return found as string
  })
  expect(next).not.toBe(first)
  expect((await exchange(first)).status).toBe(401)
  expect((await exchange(next)).status).toBe(200)
  child.kill('SIGINT')
  await ended
})

async function openedFiles({ opened }: AtTerminal, count: number): Promise<OpenedFile[]> {
  return vi.waitFor(async () => {
    const files = await opened()
    expect(files).toHaveLength(count)
    return files
  }, 30_000)
}

const SERVER = ['--', process.execPath, program('stdio-server.js')]

describe.skipIf(!hasScript())('mcpwire inspect at a terminal', () => {
  async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'inspect-'))
    try {
      await use(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  it('gives the browser a file that only the user can read, and no argument with the key of the link', () =>
    inFolder(async (folder) => {
      const terminal = await startAtTerminal(folder, ['inspect', '--port', '0', ...SERVER])
      const exited = once(terminal.child, 'exit')
      const link = /http\S+/.exec(await terminal.seen(/Inspector +http:\S+/))?.[0] ?? ''
      const [file] = (await openedFiles(terminal, 1)) as [OpenedFile]
      expect(file).toMatchObject({ modes: ['600', '700'], text: expect.stringContaining(link) as string })
      expect(file.path).not.toContain(new URL(link).hash.slice('#t='.length))
      await terminal.seen(/Press o to open another page, q to stop\./)
      terminal.type('q')
      expect(await exited).toEqual([0, null])
      expect((await readdir(folder)).filter((name) => name.startsWith('mcpwire-'))).toEqual([])
    }))

  describeInChromium('and its file in Chromium', (visit) => {
    it('opens the page, is removed then, and opens nothing a second time; o makes another', () =>
      inFolder((folder) =>
        visit(async (page) => {
          const terminal = await startAtTerminal(folder, ['inspect', '--port', '0', ...SERVER])
          const exited = once(terminal.child, 'exit')
          const link = /http\S+/.exec(await terminal.seen(/Inspector +http:\S+/))?.[0] ?? ''
          const [file] = (await openedFiles(terminal, 1)) as [OpenedFile]
          await page.goto(pathToFileURL(file.path).href)
          await page.getByRole('link', { name: /^Tools/ }).waitFor()
          expect(page.url()).toBe(`${new URL(link).origin}/`)
          expect(existsSync(file.path)).toBe(false)
          await page.reload()
          await page.getByRole('link', { name: /^Tools/ }).waitFor()
          const other = await (page.context().browser() as Browser).newPage()
          await other.goto(link)
          await other.getByText('This page has no session').waitFor()
          const place = terminal.place()
          terminal.type('o')
          const next = /http\S+/.exec(await terminal.seen(/Inspector +http:\S+/, place))?.[0] ?? ''
          expect(next).not.toBe(link)
          const [, second] = (await openedFiles(terminal, 2)) as [OpenedFile, OpenedFile]
          await other.goto(pathToFileURL(second.path).href)
          await other.getByRole('link', { name: /^Tools/ }).waitFor()
          terminal.type('q')
          expect(await exited).toEqual([0, null])
        }),
      ))
  })
})

it('opens a file as a double click does, on each system', () => {
  expect(openerFor('linux', '/tmp/a b/open.html')).toEqual({ command: 'xdg-open', args: ['/tmp/a b/open.html'] })
  expect(openerFor('darwin', '/tmp/open.html')).toEqual({ command: 'open', args: ['/tmp/open.html'] })
  expect(openerFor('win32', 'C:\\open.html').args[0]).toBe('url.dll,FileProtocolHandler')
})

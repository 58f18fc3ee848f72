// The inspector inside `mcpwire dev`: one page that stays connected from the first version of the server to the last.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { describeInChromium } from '../../../test/browser/chromium.ts'
import { isFull } from '../../../test/engines/full.ts'
import { InspectorPage } from '../../../test/inspector/inspector-page.ts'
import { MAIN, MAX_MS } from '../../../test/support/command-line.ts'
import { createProject } from '../typescript/projects.ts'
import { type Mode, StartedDev, serverText } from './started-dev.ts'

const REFUND = "server.tool('refund', () => 'refunded')\n"

describeInChromium('the inspector inside mcpwire dev', (visit) => {
  it.each(isFull ? (['modern', 'legacy'] as const) : (['modern'] as const))(
    'stays connected across reloads, shows each of them, and calls the new code, %s',
    (mode) =>
      visit(async (page) => {
        await using dev = await StartedDev.start({ transport: 'http', mode, hasInspector: true })
        const url = await dev.inspectorUrl()
        const own = await InspectorPage.open(page, { inspector: { url }, origin: new URL(url).origin })
        await page.getByRole('heading', { name: 'shop' }).waitFor()
        if (mode === 'legacy') await connectAgain(page, own, await dev.url(), mode)
        await callVersion(own, 1)
        await dev.save(serverText(2, REFUND))
        await page.getByText('The server changed its tools.').waitFor()
        await own.button('Refresh').click()
        await own.item('refund').waitFor()
        await callVersion(own, 2)
        await dev.write(`${serverText(3)}const = 1\n`)
        await own.show('Logs')
        await page.getByText(/SyntaxError/).waitFor()
        await page.getByText(/reloaded .*server\.ts in \d+ ms.* \+ tool refund/).waitFor()
        await own.look(`dev-logs-${mode}`)
        await own.show('Messages')
        // One handshake, whatever was reloaded.
        await page.getByRole('searchbox').fill(mode === 'legacy' ? 'initialize' : 'discover')
        const opening = page.locator('.message-row', { hasText: /call (?:initialize|server\/discover)/ })
        await expect.poll(() => opening.count()).toBe(1)
        await callVersion(own, 2)
        await own.show('Connect')
        await page.locator('[data-testid="connection"][data-state="ready"]').first().waitFor()
        await own.expectNoOffences()
      }),
  )
})

async function callVersion(own: InspectorPage, version: number): Promise<void> {
  await own.showTool('version')
  await own.button('Call').click()
  await own.result('done').waitFor()
  await own.result('done').getByText(String(version), { exact: true }).first().waitFor()
}

async function connectAgain(page: Page, own: InspectorPage, url: string, mode: Mode): Promise<void> {
  await own.show('Connect')
  await page.getByLabel('URL, file or command').fill(url)
  await page.getByText('Mode and headers').click()
  await page.getByLabel('Mode', { exact: true }).selectOption(mode)
  await own.button('Connect').click()
  await page.locator('.badge', { hasText: mode }).first().waitFor()
}

function hasScript(): boolean {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!hasScript())('mcpwire dev on a terminal', () => {
  /** A browser that only says what it was to open. */
  async function startTerminal(folder: string, file: string, ...args: string[]) {
    const bin = join(folder, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" >> '${join(folder, 'opened')}'\n`)
    await chmod(join(bin, 'xdg-open'), 0o755)
    const words = [process.execPath, MAIN, 'dev', file, '--port', '0', ...args]
    const child = spawn('script', ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'], {
      env: { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, TERM: 'xterm', NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: MAX_MS,
    })
    let screen = ''
    const seen = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const [found] = pattern.exec(screen) ?? []
        if (found !== undefined) return found
        const [text] = (await once(child.stdout, 'data')) as [Buffer]
        screen += text.toString()
      }
    }
    const opened = () => readFile(join(folder, 'opened'), 'utf8').catch(() => '')
    return { child, seen, opened, type: (key: string) => void child.stdin.write(key) }
  }

  it('i opens the inspector, r reloads, q ends it, and --no-open opens nothing by itself', async () => {
    await using project = await createProject({
      server: 'server.ts',
      packages: ['zod'],
      files: { 'package.json': '{"type":"module"}', 'server.ts': serverText(1) },
    })
    const { child, seen, type, opened } = await startTerminal(project.folder, project.file, '--no-open')
    const exited = once(child, 'exit')
    const url = /http\S+/.exec(await seen(/Inspector +http:\S+/))?.[0]
    await seen(/r reload {3}i inspector {3}c clear {3}q quit/)
    type('r')
    await seen(/reloaded in \d+ ms/)
    expect(await opened()).toBe('')
    type('i')
    await vi.waitFor(async () => expect(await opened()).toBe(`${url}\n`))
    type('q')
    expect(await exited).toEqual([0, null])
  })

  it('--no-inspector runs without one', async () => {
    await using project = await createProject({
      server: 'server.ts',
      packages: ['zod'],
      files: { 'package.json': '{"type":"module"}', 'server.ts': serverText(1) },
    })
    const { child, seen, type } = await startTerminal(project.folder, project.file, '--no-inspector')
    const exited = once(child, 'exit')
    expect(await seen(/HTTP [\s\S]*q quit/)).not.toContain('nspector')
    type('q')
    expect(await exited).toEqual([0, null])
  })
})

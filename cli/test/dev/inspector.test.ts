// The inspector inside `mcpwire dev`: one page that stays connected from the first version of the server to the last.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { describeInChromium } from '../../../test/browser/chromium.ts'
import { isFull } from '../../../test/engines/full.ts'
import { InspectorPage } from '../../../test/inspector/inspector-page.ts'
import { hasScript, type OpenedFile, startAtTerminal } from '../at-terminal.ts'
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
        const own = await InspectorPage.open(page, { inspector: { link: url }, origin: new URL(url).origin })
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

describe.skipIf(!hasScript())('mcpwire dev on a terminal', () => {
  it('i opens the inspector, r reloads, q ends it, and --no-open opens nothing by itself', async () => {
    await using project = await createProject({
      server: 'server.ts',
      packages: ['zod'],
      files: { 'package.json': '{"type":"module"}', 'server.ts': serverText(1) },
    })
    const { child, seen, type, opened } = await startAtTerminal(project.folder, [
      'dev',
      project.file,
      '--port',
      '0',
      '--no-open',
    ])
    const exited = once(child, 'exit')
    const link = /http\S+/.exec(await seen(/Inspector +http:\S+/))?.[0] ?? ''
    await seen(/r reload {3}i inspector {3}c clear {3}q quit/)
    type('r')
    await seen(/reloaded in \d+ ms/)
    expect(await opened()).toEqual([])
    type('i')
    const [file] = await vi.waitFor(async () => {
      const files = await opened()
      expect(files).toHaveLength(1)
      return files as [OpenedFile]
    })
    expect(file).toMatchObject({ modes: ['600', '700'], text: expect.stringContaining(link) as string })
    expect(file.path).not.toContain(new URL(link).hash)
    expect(existsSync(file.path)).toBe(true)
    type('q')
    expect(await exited).toEqual([0, null])
    expect(existsSync(dirname(file.path))).toBe(false)
  })

  it('--no-inspector runs without one', async () => {
    await using project = await createProject({
      server: 'server.ts',
      packages: ['zod'],
      files: { 'package.json': '{"type":"module"}', 'server.ts': serverText(1) },
    })
    const { child, seen, type } = await startAtTerminal(project.folder, [
      'dev',
      project.file,
      '--port',
      '0',
      '--no-inspector',
    ])
    const exited = once(child, 'exit')
    expect(await seen(/HTTP [\s\S]*q quit/)).not.toContain('nspector')
    type('q')
    expect(await exited).toEqual([0, null])
  })
})

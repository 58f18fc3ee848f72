// inspector I5 in a browser: a server that means harm, and pages that try to use the inspector.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MCPServer, ToolError } from 'mcpwire'
import { apps } from 'mcpwire/extensions/apps'
import { expect, it } from 'vitest'
import { describeInChromium } from '../browser/chromium.ts'
import { InspectorPage } from './inspector-page.ts'
import { createWorld } from './support.ts'

const isFull = process.env['FULL_TESTS'] === '1'
const SCRIPT = '<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>'
const HIDDEN = 'a\u202eb\u200bc\u0007d'

/** Text that means harm wherever a server has a word. */
function createHostileServer(): MCPServer {
  const server = new MCPServer(`evil ${SCRIPT}`, {
    version: SCRIPT,
    title: `Evil ${SCRIPT} ${HIDDEN}`,
    instructions: SCRIPT,
    websiteUrl: 'https://example.com/',
    extensions: [apps()],
  })
  const input = {
    type: 'object',
    properties: { field: { type: 'string', title: SCRIPT, description: SCRIPT, enum: [SCRIPT, HIDDEN] } },
  } as const
  server.tool('hurt', { title: SCRIPT, description: `${SCRIPT} ${HIDDEN}`, input }, async (_args, ctx) => {
    await ctx.log.info(SCRIPT)
    await ctx.reportProgress(1, 2, SCRIPT)
    return {
      content: [
        { type: 'text', text: SCRIPT },
        { type: 'resource_link', uri: 'javascript:globalThis.harmed=1', name: SCRIPT },
        { type: 'resource_link', uri: 'data:text/html,<script>alert(1)</script>', name: 'data' },
        { type: 'image', data: '"><script>globalThis.harmed=1</script>', mimeType: 'image/png' },
        { type: 'image', data: 'PHN2Zy8+', mimeType: 'image/svg+xml' },
      ],
      structuredContent: { [SCRIPT]: SCRIPT },
    }
  })
  server.tool('refuse', { description: SCRIPT }, () => {
    throw new ToolError(SCRIPT)
  })
  server.tool('ask', { description: 'asks' }, async (_args, ctx) => {
    await ctx.elicit(SCRIPT, {
      type: 'object',
      properties: { x: { type: 'string', title: SCRIPT, description: SCRIPT } },
    })
    return 'asked'
  })
  const view = server.app('ui://evil/view', {
    html: `<!doctype html><html lang="en"><head><title>x</title></head><body><p id="out">-</p><script>
const tries = { parent: () => window.parent.parent.document.title, top: () => { window.top.location = 'about:blank' },
  storage: () => window.parent.parent.sessionStorage.length, cookie: () => document.cookie }
document.querySelector('#out').textContent = Object.entries(tries).map(([name, go]) => {
  try { return name + ':' + go() } catch (error) { return name + ':' + error.name } }).join(' ')
</script></body></html>`,
  })
  server.tool('show', { description: 'view', ui: view }, () => 'shown')
  server.resource('evil://x', { name: SCRIPT, description: SCRIPT }, () => SCRIPT)
  server.prompt('evil', { description: SCRIPT }, () => SCRIPT)
  return server
}

describeInChromium('the inspector and those who mean harm', (visit) => {
  it.runIf(isFull)(
    'inspector I5 markup in every text of a server is text, links to scripts are no links, hidden characters are written out',
    () =>
      visit(async (page) => {
        await using world = await createWorld({ server: createHostileServer() })
        const own = await InspectorPage.open(page, world)
        await page.getByRole('heading', { level: 1, name: /Evil/ }).waitFor()
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('a\\u{202e}b\\u{200b}c\\u{7}d')
        await own.show('Tools')
        for (const tool of ['hurt', 'refuse', 'ask']) {
          await page.evaluate(`location.hash = '#/tools/${tool}'`)
          await own.button('Call').click()
          if (tool === 'ask') await own.button('Decline').click()
          await page.locator('.result-head').waitFor()
          await page.locator('.result-body').waitFor()
        }
        await page.goto(`${world.origin}/#/tools/hurt`)
        await page.locator('.result-body').waitFor()
        const links = await page.locator('.result-body a').count()
        expect(links).toBe(0)
        for (const screen of [
          'Resources',
          'Prompts',
          'Questions',
          'Messages',
          'Timeline',
          'Logs',
          'Weight',
          'Apps',
          'Overview',
          'Connect',
        ]) {
          await own.show(screen)
          if (screen === 'Messages') await page.locator('.message-row').last().click()
        }
        expect(await page.evaluate('globalThis.harmed')).toBeUndefined()
        expect(await page.locator('script[src]').count()).toBe(1)
        expect(await page.locator('main script').count()).toBe(0)
        await own.expectNoOffences()
      }),
  )

  it.runIf(isFull)('inspector I5 a view reaches neither the page nor its storage, and cannot leave its frame', () =>
    visit(async (page) => {
      await using world = await createWorld({ server: createHostileServer() })
      const own = await InspectorPage.open(page, world)
      await own.show('Apps')
      await own.item('show').click()
      await own.button('Show the view').click()
      const out = page.frameLocator('.view-frame').frameLocator('iframe').locator('#out')
      await expect.poll(() => out.textContent()).toMatch(/^parent:/)
      const text = (await out.textContent()) ?? ''
      expect(text).toContain('parent:SecurityError')
      expect(text).toContain('storage:SecurityError')
      expect(text).toContain('cookie:SecurityError')
      expect(page.url()).toContain(world.origin)
    }),
  )

  it.runIf(isFull)(
    'inspector I5 the key leaves the address bar, and the page stores the two secrets of its session alone',
    () =>
      visit(async (page) => {
        await using world = await createWorld()
        const { link } = world.inspector
        const own = await InspectorPage.open(page, world)
        await own.order()
        expect(page.url()).not.toContain(new URL(link).hash)
        const stored = await page.evaluate(
          '({ session: Object.values({ ...sessionStorage }), local: Object.values({ ...localStorage }), cookies: document.cookie })',
        )
        const secret = expect.stringMatching(/^[\w-]{22}$/) as string
        expect(stored).toEqual({ session: [secret, secret], local: [], cookies: '' })
        expect(JSON.stringify(stored)).not.toContain(new URL(link).hash.slice('#t='.length))
        const databases = (await page.evaluate('indexedDB.databases()')) as unknown[]
        expect(databases).toEqual([])
      }),
  )

  it.runIf(isFull)('inspector I5 an address with a command or a target in it starts and connects nothing', () =>
    visit(async (page) => {
      await using world = await createWorld({ isConnected: false })
      await InspectorPage.open(page, world)
      await page.getByRole('heading', { name: 'Connect to a server' }).waitFor()
      for (const tail of [
        '?target=node&confirm=1',
        '#/connect/node%20-e%200',
        '?command=node#/connect',
        '#t=x&target=node',
      ]) {
        await page.goto(`${world.origin}/${tail}`)
        await page.getByRole('heading', { name: 'Connect to a server' }).waitFor()
        expect(await page.getByLabel('URL, file or command').inputValue()).toBe('')
        expect(await page.locator('[data-testid="connection"]').count()).toBe(0)
      }
    }),
  )

  it.runIf(isFull)(
    'inspector I5 another site can neither show the page in a frame nor call its API, even with the token',
    () =>
      visit(async (page) => {
        await using world = await createWorld()
        const evil = createServer((_request, response) => {
          response.setHeader('content-type', 'text/html')
          response.end(`<!doctype html><title>evil</title><iframe id="f" src="${world.origin}/"></iframe>`)
        })
        await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
        try {
          await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`)
          const inFrame = page.frames().find((frame) => frame.url().startsWith(world.origin))
          expect(inFrame === undefined || (await inFrame.locator('#app').count()) === 0).toBe(true)
          const outcomes = await page.evaluate(
            async ([origin, token]) =>
              Promise.all(
                [
                  { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } },
                  {
                    method: 'POST',
                    body: '{}',
                    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
                  },
                  { method: 'GET', headers: { authorization: `Bearer ${token}` } },
                ].map((init) =>
                  fetch(`${origin}/api/events`, init).then(
                    () => 'answered',
                    () => 'refused',
                  ),
                ),
              ),
            [world.origin, world.token] as const,
          )
          expect(outcomes).toEqual(['refused', 'refused', 'refused'])
        } finally {
          evil.closeAllConnections()
          evil.close()
        }
      }),
  )
})

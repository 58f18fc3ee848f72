// inspector I2: the states that a visit of the screens does not pass: waiting, empty, lost, too large, withdrawn, refused.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import type { Page } from 'playwright-core'
import { it, onTestFinished } from 'vitest'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import { describeInChromium } from '../browser/chromium.ts'
import { startProtectedServer } from '../support/protected-server.ts'
import { InspectorPage } from './inspector-page.ts'
import { createWorld, eventsOf, type World } from './support.ts'

const isFull = process.env['FULL_TESTS'] === '1'

/** A server on HTTP that takes requests and never answers. */
async function listenSilently(): Promise<string> {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  return `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`
}

function createSlowServer() {
  const held = createDeferred<void>()
  const server = new MCPServer('slow', { extensions: [tasks()] })
  server.resource('notes://slow', { name: 'Slow' }, async () => {
    await held.promise
    return 'At last.'
  })
  server.resource('notes://long', { name: 'Long', mimeType: 'text/plain' }, () => 'A long story. '.repeat(10_000))
  server.tool('ask', async (_args, ctx) => {
    const { action } = await ctx.elicit('Are you there?', { type: 'object', properties: { yes: { type: 'boolean' } } })
    return action
  })
  server.tool('job', { task: 'always' }, async (_args, ctx) => {
    await ctx.reportProgress(1, 2, 'half of it')
    await held.promise
    return 'done'
  })
  return { server, release: () => held.resolve() }
}

/** The page with another word in what the backend says, for a state that takes minutes to come. */
async function showAs(page: Page, world: World, from: string, to: string): Promise<void> {
  const text = (await eventsOf(world).everything()).replaceAll(from, to)
  await page.route('**/api/events', (route) => route.fulfill({ contentType: 'text/event-stream', body: text }))
  await page.reload()
}

describeInChromium('the inspector in states that are seldom', (visit) => {
  it.runIf(isFull)('inspector I2 a server that does not answer: the steps so far, and no overview yet', () =>
    visit(async (page) => {
      await using world = await createWorld({ target: { url: await listenSilently(), headers: {} } })
      const own = await InspectorPage.open(page, world)
      await page.locator('[data-testid="connection"][data-state="connecting"]').waitFor()
      await own.look('connect-connecting')
      await own.show('Overview')
      await page.getByRole('heading', { name: 'Connecting' }).waitFor()
      await own.look('overview-loading')
      await own.show('Tools')
      await page.getByText('The server is not connected.').waitFor()
      await own.look('tools-not-connected')
      await own.expectNoOffences()
    }),
  )

  it.runIf(isFull)('inspector I2 a server that is lost: when the next attempt is made; and one that was closed', () =>
    visit(async (page) => {
      await using world = await createWorld()
      const own = await InspectorPage.open(page, world)
      await page.getByRole('heading', { name: 'The shop' }).waitFor()
      const problem = '{"message":"The server process exited with code 3.","fix":"Read its stderr."}'
      await showAs(
        page,
        world,
        '"status":"ready"',
        `"status":"lost","retryAt":${Date.now() + 600_000},"problem":${problem}`,
      )
      await page.locator('main [data-state="lost"]').waitFor()
      await page.getByText('The connection is lost').first().waitFor()
      await page.getByText(/Reconnecting in \d+ s/).waitFor()
      await own.look('overview-lost')
      await own.show('Connect')
      await own.look('connect-lost')
      await page.unroute('**/api/events')
      await showAs(page, world, '"status":"ready"', '"status":"closed"')
      await page.locator('[data-testid="connection"][data-state="closed"]').waitFor()
      await own.look('connect-closed')
      await own.show('Overview')
      await page.getByText('The connection is closed.').waitFor()
      await own.look('overview-closed')
    }),
  )

  it.runIf(isFull)('inspector I2 a server that offers nothing', () =>
    visit(async (page) => {
      await using world = await createWorld({ server: new MCPServer('empty') })
      const own = await InspectorPage.open(page, world)
      await page.getByRole('heading', { name: 'empty' }).waitFor()
      for (const screen of ['Overview', 'Tools', 'Resources', 'Prompts', 'Apps', 'Weight']) {
        await own.show(screen)
        await own.look(`${screen.toLowerCase()}-empty`)
      }
      await own.expectNoOffences()
    }),
  )

  it.runIf(isFull).each(['modern', 'legacy'])('inspector I2 what is slow, large, updated or withdrawn, %s', (mode) =>
    visit(async (page) => {
      const { server, release } = createSlowServer()
      await using world = await createWorld({ server, mode })
      onTestFinished(release)
      const own = await InspectorPage.open(page, world)
      const look = (state: string) => own.look(`${mode}-${state}`)
      await page.getByRole('heading', { name: 'slow' }).waitFor()

      await own.show('Resources')
      await own.item('Slow').click()
      await own.button('Read').click()
      await page.locator('.work[data-state="running"]').waitFor()
      await look('resources-reading')
      await own.item('Long').click()
      await own.button('Read').click()
      await page.getByRole('button', { name: /^Too large: load all/ }).waitFor()
      await look('resources-too-large')
      await own.button('Subscribe').click()
      await own.button('Unsubscribe').waitFor()
      await server.notifyResourceUpdated('notes://long')
      await page.locator('.work[data-state="updated"]').waitFor()
      await look('resources-updated')

      await own.showTool('ask')
      await own.button('Call').click()
      await page.getByRole('article', { name: 'The server asks you' }).waitFor()
      await own.result('waiting').getByRole('button', { name: 'Cancel' }).click()
      await own.result('cancelled').waitFor()
      await own.show('Questions')
      await page.locator('article[data-state="withdrawn"]').waitFor()
      await look('questions-withdrawn')

      if (mode === 'modern') {
        await own.showTool('job')
        await own.button('Call').click()
        await own.show('Tasks')
        await page.locator('main [data-state="watching"] tr[data-state="working"]').waitFor()
        await look('tasks-watching')
        await showAs(page, world, '"isWatched":true', '"isWatched":false')
        await page.locator('main [data-state="polling"]').waitFor()
        await look('tasks-polling')
        await page.unroute('**/api/events')
        await showAs(page, world, '"status":"working"', '"status":"gone"')
        await page.locator('main [data-state="final"] tr[data-state="gone"]').waitFor()
        await look('tasks-gone')
      }
      release()
    }),
  )

  it.runIf(isFull)('inspector I2 a view that says nothing yet, and one that was closed', () =>
    visit(async (page) => {
      await using world = await createWorld()
      const own = await InspectorPage.open(page, world)
      await own.show('Apps')
      await own.item('chart').click()
      await own.button('Show the view').click()
      await page.locator('.view-frame').waitFor()
      await page.locator('.work[data-state="loading"]').waitFor()
      await own.look('apps-loading')
      await page.reload()
      await page.getByText('The view is closed.').waitFor()
      await own.look('apps-torn-down')
    }),
  )

  it.runIf(isFull)('inspector I2 rights that are asked for, a login that has expired, and one that was refused', () =>
    visit(async (page) => {
      const server = new MCPServer('shop', { title: 'The shop' })
      server.tool('refund', { scopes: ['write'] }, () => 'refunded')
      await using shop = await startProtectedServer({
        server,
        scopes: ['mcp', 'write'],
        bearer: { scopes: ['mcp'] },
      })
      await using world = await createWorld({ target: { url: shop.url, headers: {} } })
      const own = await InspectorPage.open(page, world)
      const link = page.locator('main .outside').first()
      await link.waitFor()
      await fetch(await shop.authorization.login((await link.getAttribute('href')) ?? ''))
      const ready = await eventsOf(world).until(({ connections: [one] }) => one?.status === 'ready')
      await world.api('call', { connection: ready.connections[0]?.id, kind: 'tool', name: 'refund', args: {} })
      await own.show('Auth')
      await page.locator('main [data-state="step-up"]').waitFor()
      await own.look('auth-step-up')

      const asked = new URL((await page.locator('main .outside').first().getAttribute('href')) ?? '')
      const back = new URL(asked.searchParams.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({
        error: 'access_denied',
        state: asked.searchParams.get('state') ?? '',
        iss: shop.authorization.issuer,
      }).toString()
      await fetch(back)
      await page.locator('main [data-state="failed"]').waitFor()
      await own.look('auth-failed')
      await own.expectNoOffences()

      await showAs(page, world, '"auth":{"status":"failed"', '"auth":{"status":"expired"')
      await page.locator('main [data-state="expired"]').waitFor()
      await own.look('auth-expired')
      await server.close()
    }),
  )
})

// inspector I5: what a view of an app gets, and who may say what its policy stopped.
import { MCPServer } from 'mcpwire'
import { apps } from 'mcpwire/extensions/apps'
import { describe, expect, it } from 'vitest'
import { describeInChromium } from '../browser/chromium.ts'
import { InspectorPage } from './inspector-page.ts'
import { createWorld, eventsOf, type World } from './support.ts'

function createCallServer(): MCPServer {
  const server = new MCPServer('calls', { extensions: [apps()] })
  const view = server.app('ui://calls/call', {
    html: `<!doctype html><html lang="en"><head><title>Call</title></head><body><p id="out">-</p><script>
const features = document.permissionsPolicy ?? document.featurePolicy
const has = ['camera', 'microphone', 'geolocation', 'clipboard-write'].filter((name) => features?.allowsFeature(name))
document.querySelector('#out').textContent = 'may: ' + has.join(' ')
</script></body></html>`,
    permissions: { camera: {}, microphone: {} },
  })
  server.tool('call', { ui: view }, () => 'called')
  const plain = server.app('ui://calls/plain', {
    html: '<!doctype html><html lang="en"><head><title>Plain</title></head><body><p>Plain</p></body></html>',
  })
  server.tool('plain', { ui: plain }, () => 'plain')
  return server
}

async function openView(world: World, tool: string, more: object = {}): Promise<{ view?: string; asks?: string[] }> {
  await eventsOf(world).until(({ connections }) => connections[0]?.status === 'ready')
  const answer = await world.api('view', { connection: 'c1', tool, theme: 'light', ...more })
  return (await answer.json()) as { view?: string; asks?: string[] }
}

describe('inspector I5: views', () => {
  it('get none of the permissions that they declare before somebody was asked, and none that they do not declare', async () => {
    await using world = await createWorld({ server: createCallServer() })
    expect(await openView(world, 'call')).toEqual({ asks: ['camera', 'microphone'] })
    expect((await eventsOf(world).state()).views).toEqual([])
    expect(await openView(world, 'plain')).toEqual({ view: 'view1' })
    await openView(world, 'call', { permissions: [] })
    await openView(world, 'call', { permissions: ['microphone', 'geolocation', 'x'] })
    const { views } = await eventsOf(world).state()
    expect(views.map(({ allow }) => allow)).toEqual(['', '', 'microphone'])
  })

  it('show what their policy stopped as the browser reports it, and nothing that is posted by somebody who guesses', async () => {
    await using world = await createWorld({ server: createCallServer() })
    await openView(world, 'plain')
    const [view] = (await eventsOf(world).state()).views
    const { origin, pathname } = new URL(view?.url ?? '')
    expect(pathname).toMatch(/^\/view1-[\w-]{22}$/)
    const report = (directive: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/csp-report' },
      body: JSON.stringify({
        'csp-report': { 'effective-directive': directive, 'blocked-uri': 'https://example.com' },
      }),
    })
    for (const guess of ['view1', 'view1-', 'view1-x', '']) await fetch(`${origin}/${guess}/blocked`, report('guessed'))
    await fetch(`${origin}${pathname}/blocked`, report('connect-src'))
    const { views } = await eventsOf(world).until(({ views: [one] }) => (one?.blocked.length ?? 0) > 0)
    expect(views[0]?.blocked).toEqual(['connect-src: https://example.com'])
  })
})

describeInChromium('views that ask for more', (visit) => {
  it('inspector I5 the user says which permissions a view gets', () =>
    visit(async (page) => {
      await using world = await createWorld({ server: createCallServer() })
      const own = await InspectorPage.open(page, world)
      await own.show('Apps')
      await own.item('call').click()
      await own.button('Show the view').click()
      await page.getByRole('heading', { name: 'Allow the view of call to:' }).waitFor()
      expect(await page.locator('.view-frame').count()).toBe(0)
      await own.look('apps-permissions')
      await own.button('Do not show it').click()
      expect(await page.locator('.view-frame').count()).toBe(0)
      await own.button('Show the view').click()
      await own.button('Show it without').click()
      const out = page.frameLocator('.view-frame').frameLocator('iframe').locator('#out')
      await expect.poll(() => out.textContent()).toBe('may: ')
      await own.button('Show it again').click()
      await page.getByLabel('use the microphone').check()
      await own.button('Allow and show').click()
      await expect.poll(() => out.textContent()).toBe('may: microphone')
      await page.getByText('Permissions: microphone').waitFor()
      await own.expectNoOffences()
    }))
})

// inspector I3, I6, I9, I10: by keyboard alone, across reloads, with the official view package, on small and unusual screens.
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInChromium } from '../browser/chromium.ts'
import { createWorld as createWeather } from '../browser/support.ts'
import { startProtectedServer } from '../support/protected-server.ts'
import { InspectorPage } from './inspector-page.ts'
import { createShop } from './shop-server.ts'
import { createWorld } from './support.ts'

const isFull = process.env['FULL_TESTS'] === '1'

describeInChromium('the inspector in use', (visit) => {
  it.runIf(isFull)(
    'inspector I3 keyboard only: connect, a nested form, an answer, cancel and copy, without a mouse',
    () =>
      visit(async (page) => {
        await using world = await createWorld({ isConnected: false })
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.origin })
        const own = await InspectorPage.open(page, world)
        const { keyboard } = page
        await page.getByRole('heading', { name: 'Connect to a server' }).waitFor()
        await page.evaluate(() => {
          const clicks: string[] = []
          Object.assign(globalThis, { clicks })
          // A click of the keyboard has no detail; that of a mouse counts.
          for (const type of ['mousedown', 'pointerdown']) addEventListener(type, () => clicks.push(type), true)
        })
        const focusOn = async (wanted: Locator) => {
          await wanted.waitFor()
          for (let step = 0; step < 80; step += 1) {
            if (await wanted.evaluate((element) => element.ownerDocument.activeElement === element)) return
            await keyboard.press('Tab')
          }
          throw new Error('Tab does not reach it')
        }
        await focusOn(page.getByLabel('URL, file or command'))
        await keyboard.type(world.serverUrl)
        await keyboard.press('Enter')
        await page.getByRole('heading', { name: 'The shop' }).waitFor()
        await keyboard.press('Escape')
        await keyboard.press('g')
        await keyboard.press('t')
        await own.item('order').waitFor()
        await keyboard.press('j')
        await keyboard.press('Enter')
        await page.getByRole('heading', { level: 1, name: 'order' }).waitFor()
        await focusOn(page.getByLabel('book'))
        await keyboard.press('Space')
        await focusOn(page.getByRole('textbox', { name: /^street/ }))
        await keyboard.type('High St 1')
        await focusOn(page.getByRole('textbox', { name: /^city/ }))
        await keyboard.type('Bern')
        await keyboard.press('Control+Enter')
        await page.getByText('Really order 1 × book?').waitFor()
        await focusOn(page.getByRole('checkbox', { name: /I am sure/ }))
        await keyboard.press('Space')
        await focusOn(own.button('Answer'))
        await keyboard.press('Enter')
        await own.result('done').waitFor()
        await keyboard.press('Escape')
        await keyboard.press('y')
        await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('"ordered":"book"')
        await keyboard.press('Shift+Y')
        await expect
          .poll(() => page.evaluate('navigator.clipboard.readText()'))
          .toBe(
            `mcpwire call ${world.serverUrl} order --args '{"count":1,"address":{"street":"High St 1","city":"Bern"},"item":"book"}'`,
          )
        await keyboard.press('Control+k')
        await page.getByRole('combobox', { name: /^Search/ }).waitFor()
        await keyboard.type('tool wait')
        await keyboard.press('Enter')
        await page.getByRole('heading', { level: 1, name: 'wait' }).waitFor()
        await keyboard.press('Control+Enter')
        await page.getByText('half way').waitFor()
        await keyboard.press('Control+.')
        await own.result('cancelled').waitFor()
        expect(await page.evaluate('globalThis.clicks')).toEqual([])
        await own.expectNoOffences()
      }),
  )

  it.runIf(isFull).each(['modern', 'legacy'])(
    'inspector I6 a reload in the middle of a call and of a question loses neither, %s',
    (mode) =>
      visit(async (page) => {
        await using world = await createWorld({ mode })
        const own = await InspectorPage.open(page, world)
        await own.showTool('wait')
        await own.button('Call').click()
        await page.getByText('half way').waitFor()
        await page.reload()
        await page.getByText('half way').waitFor()
        await own.result('running').waitFor()
        world.shop.release()
        await own.result('done').waitFor()
        await page.getByText('released').first().waitFor()

        await own.order()
        await page.reload()
        await page.getByText('Really order 1 × book?').waitFor()
        await page.getByRole('checkbox', { name: /I am sure/ }).check()
        await own.button('Answer').click()
        await own.result('done').waitFor()
        await page.reload()
        await own.result('done').waitFor()
        // A question that was answered does not come back.
        expect(await page.locator('[data-question]').count()).toBe(0)
        await own.show('Messages')
        await page.locator('.message-row').first().waitFor()
        await own.expectNoOffences()
      }),
  )

  it.runIf(isFull)(
    'inspector I6 a login against a protected server survives a reload, and its steps and token are shown without a secret',
    () =>
      visit(async (page) => {
        const { server } = createShop()
        await using protectedServer = await startProtectedServer({ server, scopes: ['mcp'] })
        await using world = await createWorld({ target: { url: protectedServer.url, headers: {} } })
        const own = await InspectorPage.open(page, world)
        const login = page.locator('main .outside').first()
        await login.waitFor()
        await own.look('connect-needs-login')
        await page.reload()
        await login.waitFor()
        const address = (await login.getAttribute('href')) ?? ''
        expect(await login.textContent()).toBe(address)
        const callback = await protectedServer.authorization.login(address)
        await fetch(callback)
        await page.getByRole('heading', { name: 'The shop' }).waitFor()
        await own.show('Auth')
        await page.getByText('logged in').first().waitFor()
        const steps = await page.locator('main tbody th').allTextContents()
        for (const step of [
          'Challenge',
          'Resource metadata',
          'Server metadata',
          'Registration',
          'Authorization',
          'Token',
        ]) {
          expect(steps).toContain(step)
        }
        await own.button('Show its claims').click()
        await page.getByText(protectedServer.authorization.issuer).first().waitFor()
        await own.look('auth-logged-in')
        const shown = await page.locator('.facts dd').first().textContent()
        expect(shown).toMatch(/^eyJ… \(\d+ bytes\), expires in \d+:\d\d$/)
        // Nothing that the page ever gets has a token in it.
        const text = await world.api('events').then((response) => readSome(response))
        expect(text).not.toMatch(/eyJ[\w-]{20,}/)
        expect(text).not.toMatch(/[?&](?:code|code_verifier|refresh_token)=(?!hidden)/)
        await own.expectNoOffences()
        await server.close()
      }),
  )

  it.runIf(isFull)(
    'inspector I9 the official view package works in the frame of an app, and what its policy stops is shown',
    () =>
      visit(async (page) => {
        await using weather = await createWeather()
        await using world = await createWorld({ target: { url: `${weather.hostOrigin}/mcp`, headers: {} } })
        const own = await InspectorPage.open(page, world)
        await own.showTool('get_weather_official')
        await page.getByRole('textbox', { name: /^city/ }).fill('Paris')
        await own.button('Call').click()
        await own.result('done').waitFor()
        await own.show('Apps')
        await own.item('get_weather_official').click()
        await own.button('Show the view').click()
        const view = page.frameLocator('.view-frame').frameLocator('iframe')
        await view.getByText('done: done').waitFor()
        expect(await view.locator('#input').textContent()).toBe('{"city":"Paris"}')
        expect(await view.locator('#call').textContent()).toBe('refreshed')
        expect(await view.locator('#refused').textContent()).toContain('not available')
        expect(await view.locator('#fetch').textContent()).toBe('blocked')
        await page
          .getByText(/connect-src: /)
          .first()
          .waitFor()
        await page.getByRole('link', { name: 'https://example.com/weather' }).waitFor()
        await own.look('apps-blocked')
        expect(weather.reached.undeclared).toEqual([])
        await own.button('Close the view').click()
        await page.locator('.view-frame').waitFor({ state: 'detached' })
        await own.expectNoOffences()
      }),
  )

  it.runIf(isFull)('inspector I10 at 390 and 700 pixels, zoomed to 200 %, without motion and with forced colours', () =>
    visit(async (page) => {
      await using world = await createWorld()
      const own = await InspectorPage.open(page, world)
      await own.order()
      const screens = [
        'Connect',
        'Overview',
        'Tools',
        'Resources',
        'Questions',
        'Messages',
        'Timeline',
        'Logs',
        'Weight',
      ]
      // 640 pixels is a window of 1280 at 200 %.
      for (const width of [390, 640, 700, 1000]) {
        await page.setViewportSize({ width, height: 800 })
        for (const screen of screens) {
          await own.show(screen)
          if (screen === 'Tools') await own.item('order').click()
          const overflow = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          )
          expect(`${screen} at ${width}: ${overflow}`).toBe(`${screen} at ${width}: 0`)
          if (width !== 640) await own.screenshot(`width-${width}-${screen.toLowerCase()}`)
          await own.expectAccessible(`${screen} at ${width}`)
          if (screen === 'Tools') await expectColumns(page, own, width)
          if (screen === 'Messages' || screen === 'Logs') await expectListAndDetail(page, own, screen, width)
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' })
      await own.show('Tools')
      await own.item('order').click()
      await own.expectAccessible('forced colours')
      await own.screenshot('forced-colours')
      await own.expectNoOffences()
    }),
  )
})

/** A window below 700 pixels has one column at a time, and tabs. */
async function expectColumns(page: Page, own: InspectorPage, width: number): Promise<void> {
  const [tabs, list, form] = [page.getByRole('tablist', { name: 'Columns' }), own.item('order'), own.button('Call')]
  const side = page.getByRole('complementary', { name: 'About this tool' })
  const seen = async () => Promise.all([list, form, side].map((part) => part.isVisible()))
  if (width >= 700) {
    expect([await tabs.isVisible(), ...(await seen())]).toEqual([false, true, true, true])
    return
  }
  expect(await seen()).toEqual([false, true, false])
  for (const [tab, expected] of [
    ['Details', [false, false, true]],
    ['Tools', [true, false, false]],
  ] as const) {
    await tabs.getByRole('tab', { name: tab }).click()
    expect(await seen()).toEqual(expected)
    await own.expectAccessible(`Tools, tab ${tab}, at ${width}`)
    await own.screenshot(`width-${width}-tools-${tab.toLowerCase()}`)
  }
  await list.click()
  expect(await seen()).toEqual([false, true, false])
}

/** Below 700 pixels a list of lines fills the window, and so does what is chosen in it. */
async function expectListAndDetail(page: Page, own: InspectorPage, screen: string, width: number): Promise<void> {
  const list = page.locator('.message-list')
  const detail = page.locator('.side.wide')
  const row = page.locator('.message-row').first()
  if ((await row.count()) === 0) return
  await row.click()
  await expect.poll(() => detail.locator('h2').count()).toBe(1)
  expect([await list.isVisible(), await detail.isVisible()]).toEqual([width >= 700, true])
  await own.expectAccessible(`${screen} with a line, at ${width}`)
  await own.screenshot(`width-${width}-${screen.toLowerCase()}-detail`)
  if (width >= 700) return
  await page.getByRole('tablist', { name: 'Columns' }).getByRole('tab', { name: screen }).click()
  expect([await list.isVisible(), await detail.isVisible()]).toEqual([true, false])
  await row.click()
  expect([await list.isVisible(), await detail.isVisible()]).toEqual([false, true])
}

/** What has come of a stream that does not end. */
async function readSome(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  while (!/event: catch-up/.test(text)) text += new TextDecoder().decode((await reader.read()).value)
  const count = Number(/"count":(\d+)/.exec(text)?.[1] ?? 0)
  while ((text.match(/^id: /gm)?.length ?? 0) < count) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
  return text
}

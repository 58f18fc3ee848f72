// Views in a real browser: our host on two origins, with a view of ours and with the official view package.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { afterAll, expect, it, vi } from 'vitest'
import { describeInChromium } from './chromium.ts'
import { createWorld } from './support.ts'

/** To look at them, name a folder in SCREENSHOTS. */
const kept = process.env['SCREENSHOTS']
const folder = kept ?? mkdtempSync(join(tmpdir(), 'mcpwire-apps-'))
if (kept !== undefined && !existsSync(kept)) mkdirSync(kept, { recursive: true })
afterAll(() => {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true })
})

async function screenshot(page: Page, name: string): Promise<void> {
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path })
  expect(statSync(path).size).toBeGreaterThan(1_000)
}

/** The frame of the view: the one inside the sandbox page. */
async function viewOf(page: Page): Promise<Frame> {
  await expect.poll(() => page.frames().length).toBeGreaterThanOrEqual(3)
  return page.frames().find((frame) => frame.parentFrame()?.parentFrame() === page.mainFrame()) as Frame
}

const logOf = (page: Page) => page.evaluate('window.log') as Promise<[string, unknown][]>

describeInChromium('views of apps in Chromium', (visit) => {
  it('apps A-15, A-17 and A-22 a plain view does what it was given, and is seen to fail at everything else', () =>
    visit(async (page) => {
      await using world = await createWorld()
      await page.goto(world.urlFor('get_weather'))
      const view = await viewOf(page)
      await view.getByText('all: tried').waitFor()
      expect(await view.locator('#weather').textContent()).toBe('Paris: sunny')
      expect(await view.locator('li').allTextContents()).toEqual([
        'fetch a declared host: done 200',
        'fetch an undeclared host: failed TypeError',
        'fetch the host: failed TypeError',
        'load an image of an undeclared host: failed Error',
        'load a script of an undeclared host: failed Error',
        expect.stringMatching(/^open a socket to an undeclared host: failed /),
        'run text as code: failed EvalError',
        'use features: done ["clipboard-write"]',
        'read the document of the parent: failed SecurityError',
        'read the document of the host: failed SecurityError',
        'read the storage of the host: failed SecurityError',
        'read storage: failed SecurityError',
        'read cookies: failed SecurityError',
        'open a window: failed Error',
        'leave the host: failed SecurityError',
        'call a tool for apps: done "refreshed"',
        'call a tool for the model: failed Error',
        'call a method of servers: failed Error',
        'send a message: done {}',
        'open a link: done {}',
        'open a script as a link: failed Error',
        'go fullscreen: done "fullscreen"',
        'all: tried',
      ])
      await screenshot(page, 'plain-view')
      expect(world.called).toEqual(['refresh'])
      expect(world.reached).toEqual({ declared: ['/'], undeclared: [] })
      expect(page.url()).toBe(world.urlFor('get_weather'))
      const ownOrigin = ['own origin', expect.stringContaining("is the host's own")]
      expect(await logOf(page)).toEqual([
        ownOrigin,
        ownOrigin,
        ['call', 'refresh'],
        ['message', { role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
        ['link', 'https://example.com/'],
      ])
      await page.evaluate('window.host.close("done")')
    }))

  it('apps A-22 a view that leaves its own document is removed, and reaches nothing on the way', () =>
    visit(async (page) => {
      await using world = await createWorld()
      await page.goto(world.urlFor('get_weather_official'))
      const view = await viewOf(page)
      await view.getByText('done: done').waitFor()
      const undeclared = (await view.locator('body').getAttribute('data-undeclared')) as string
      await view.evaluate(`location.href = ${JSON.stringify(undeclared)}`)
      await expect.poll(() => page.frames().length).toBe(2)
      expect(world.reached.undeclared).toEqual([])
    }))

  it('apps A-22 a view reaches nobody by a peer connection, neither itself nor from a frame within it', () =>
    visit(async (page) => {
      await using world = await createWorld()
      const stun = createSocket('udp4')
      let packets = 0
      stun.on('message', () => {
        packets += 1
      })
      stun.bind(0, '127.0.0.1')
      await once(stun, 'listening')
      try {
        const connecting = `(async () => {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.address().port}' }] })
          ;(globalThis.peers ??= []).push(peer)
          peer.createDataChannel('x')
          await peer.setLocalDescription(await peer.createOffer())
          await new Promise((resolve) => setTimeout(resolve, 1000))
          parent.postMessage('gathered', '*')
        })()`
        await page.goto(world.urlFor('get_weather_official'))
        const view = await viewOf(page)
        await view.getByText('done: done').waitFor()
        // Outside of a view it works, so that the silence below is not that of a broken attempt.
        await page.evaluate(connecting)
        await expect.poll(() => packets).toBeGreaterThan(0)
        await page.evaluate('window.peers.splice(0).forEach((peer) => peer.close())')
        packets = 0
        await view.evaluate(connecting)
        expect(packets).toBe(0)
        const inner = JSON.stringify(`<script>${connecting}</script>`).replaceAll('</', '<\\/')
        // Chromium ends the process of a frame that tries it there.
        await view
          .evaluate(`new Promise((resolve) => {
            addEventListener('message', ({ data }) => data === 'gathered' && resolve())
            document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: ${inner} }))
          })`)
          .catch(() => {})
        expect(packets).toBe(0)
      } finally {
        stun.close()
      }
    }))

  it('apps A-19, A-20 and A-21 the official view package runs in our host', () =>
    visit(async (page) => {
      await using world = await createWorld()
      await page.goto(world.urlFor('get_weather_official'))
      const view = await viewOf(page)
      await view.getByText('done: done').waitFor()
      expect(await view.locator('li').allTextContents()).toEqual([
        'theme: light',
        'input: {"city":"Paris"}',
        'result: Paris: sunny {"sky":"sunny"}',
        'call: refreshed',
        'read: Take an umbrella',
        expect.stringContaining('The tool "delete_all" is not available to this view'),
        'mode: fullscreen',
        'asked: fullscreen',
        'fetch: blocked',
        'done: done',
      ])
      expect(await page.locator('#state').textContent()).toBe('Shown: official view')
      await screenshot(page, 'official-view')
      expect(world.called).toEqual(['refresh'])
      expect(world.reached.undeclared).toEqual([])
      await page.evaluate('window.host.close("done")')
      expect((await logOf(page)).slice(2)).toEqual([
        ['call', 'refresh'],
        ['context', { content: [{ type: 'text', text: 'Paris is shown' }] }],
        ['link', 'https://example.com/weather'],
        ['message', { role: 'user', content: [{ type: 'text', text: 'closing' }] }],
      ])
    }))

  it('docs/examples/app-page.ts and app-sandbox.ts show a view, and remove it', () =>
    visit(async (page) => {
      await using world = await createWorld('example-host.js')
      vi.stubEnv('HOST_ORIGIN', world.hostOrigin)
      vi.stubEnv('PORT', '0')
      const { listening } = await import('../../docs/examples/app-sandbox.ts')
      vi.unstubAllEnvs()
      try {
        if (!listening.listening) await once(listening, 'listening')
        const { port } = listening.address() as AddressInfo
        await page.goto(world.urlFor('get_weather_official', `http://127.0.0.1:${port}`))
        const view = await viewOf(page)
        await view.getByText('done: done').waitFor()
        expect(await view.locator('#result').textContent()).toBe('Paris: sunny {"sky":"sunny"}')
        await page.evaluate('window.hide()')
        expect(page.frames()).toHaveLength(1)
      } finally {
        listening.closeAllConnections()
        listening.close()
      }
    }))

  it('traps X-40 the sandbox page can be shown by its host alone', () =>
    visit(async (page) => {
      await using world = await createWorld()
      await page.goto(`${world.sandboxOrigin}/`)
      await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), { src: '/' }))`)
      const isBlocked = `document.querySelector('iframe').contentDocument === null`
      await expect.poll(() => page.evaluate(isBlocked)).toBe(true)
    }))
})

// What the inspector says and sends where it would be easy to get wrong.
import { MCPServer, ToolError } from 'mcpwire'
import { expect, it } from 'vitest'
import { asCommand } from '../../inspector/page/state/copy.ts'
import type { MessageEntry } from '../../inspector/protocol/entries.ts'
import { describeInChromium } from '../browser/chromium.ts'
import { InspectorPage } from './inspector-page.ts'
import { createWorld, eventsOf } from './support.ts'

function createServer(calls: unknown[] = []): MCPServer {
  const server = new MCPServer('details')
  const input = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', minimum: 1, default: 3 },
      seed: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      count: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    },
    required: ['city'],
  } as const
  server.tool('forecast', { input }, (args) => {
    calls.push(args)
    return 'sunny'
  })
  server.tool('visit', async (_args, ctx) => {
    const { action } = await ctx.elicitUrl('Pay.', 'https://b\u0430nk.example/pay')
    return action
  })
  server.tool('fail', () => {
    throw new ToolError('No paper.')
  })
  return server
}

it('a result of a tool that says that it failed is told from one that is good, by its role', async () => {
  await using world = await createWorld({ server: createServer() })
  await eventsOf(world).until(({ connections }) => connections[0]?.status === 'ready')
  await world.api('call', { connection: 'c1', kind: 'tool', name: 'fail', args: {} })
  await eventsOf(world).until(({ calls }) => calls[0]?.endedAt !== undefined)
  const text = await eventsOf(world).everything()
  const last = [...text.matchAll(/^event: message\ndata: (.*)$/gm)]
    .map(([, data = '']) => JSON.parse(data) as MessageEntry)
    .findLast(({ method }) => method === 'tools/call')
  expect(last).toMatchObject({ kind: 'response', role: 'tool-error' })
})

it('a call of a legacy server leaves no warning about options of the inspector itself', async () => {
  await using world = await createWorld({ server: createServer(), mode: 'legacy' })
  await eventsOf(world).until(({ connections }) => connections[0]?.status === 'ready')
  await world.api('call', { connection: 'c1', kind: 'tool', name: 'forecast', args: { city: 'Bern' } })
  await eventsOf(world).until(({ calls }) => calls[0]?.status === 'done')
  expect(await eventsOf(world).everything()).not.toContain('configuration-warning')
})

it('a call is copied as a command with the word that named its program, and else with its command', async () => {
  const call = { kind: 'tool', name: 'add', args: { a: 1 } } as const
  const target = '/usr/bin/node /opt/mcpwire.js run /home/ada/server.ts'
  expect(asCommand({ kind: 'command', target, word: 'server.ts' }, call)).toBe(
    `mcpwire call server.ts add --args '{"a":1}'`,
  )
  expect(asCommand({ kind: 'command', target: 'npx -y some-server' }, call)).toBe(
    `mcpwire call add --args '{"a":1}' -- npx -y some-server`,
  )
  const program = { command: process.execPath, args: ['-e', '0'], env: {} }
  for (const [typed, word] of [
    ['server.ts', 'server.ts'],
    ['@shop', '@shop'],
    ['npx -y some-server', undefined],
  ]) {
    await using world = await createWorld({ target: program, typed: typed ?? '' })
    const { connections, recent } = await eventsOf(world).state()
    expect(connections[0]?.word).toBe(word)
    expect(recent).toEqual([])
  }
})

describeInChromium('details of the inspector', (visit) => {
  it('Ctrl Enter checks the form first, defaults say that they are sent, bounds without meaning are not shown', () =>
    visit(async (page) => {
      const sent: unknown[] = []
      await using world = await createWorld({ server: createServer(sent) })
      const own = await InspectorPage.open(page, world)
      await own.showTool('forecast')
      expect(await page.getByLabel('seed').getAttribute('placeholder')).toBeNull()
      expect(await page.getByLabel('count').getAttribute('placeholder')).toBe('at least 0')
      await page.getByText('default, sent').waitFor()
      await page.getByLabel('days').press('Control+Enter')
      await own.button('Send anyway').waitFor()
      await page.getByText('The arguments do not fit the schema.').waitFor()
      expect(sent).toEqual([])
      await page.getByLabel('city').fill('Bern')
      await page.getByLabel('city').press('Control+Enter')
      await own.result('done').waitFor()
      await page.getByRole('button', { name: 'Clear days' }).click()
      await page.getByLabel('city').press('Control+Enter')
      await expect.poll(() => sent).toEqual([{ city: 'Bern', days: 3 }, { city: 'Bern' }])
      await own.expectNoOffences()
    }))

  it('a page that a server asks to visit is named by the host that it leads to', () =>
    visit(async (page) => {
      await using world = await createWorld({ server: createServer() })
      const own = await InspectorPage.open(page, world)
      await own.showTool('visit')
      await own.button('Call').click()
      expect(await page.getByText(/^It leads to/).textContent()).toBe('It leads to xn--bnk-6cd.example.')
      await own.button('Decline').click()
      await own.result('done').waitFor()
    }))

  it('a copied result is waited for, and where there is none the clipboard keeps what it has', () =>
    visit(async (page) => {
      await using world = await createWorld({ server: createServer() })
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.origin })
      const own = await InspectorPage.open(page, world)
      const clipboard = () => page.evaluate('navigator.clipboard.readText()')
      let release = () => {}
      const isReleased = new Promise<void>((resolve) => (release = resolve))
      await page.route('**/api/result/*', async (route) => {
        await isReleased
        await route.continue()
      })
      await own.showTool('visit')
      await page.evaluate(`navigator.clipboard.writeText('mine')`)
      await own.button('Call').click()
      await own.result('waiting').waitFor()
      await page.keyboard.press('y')
      await page.getByText('There is no result to copy').waitFor({ state: 'attached' })
      expect(await clipboard()).toBe('mine')
      await own.button('Decline').click()
      await own.result('done').waitFor()
      await page.keyboard.press('y')
      expect(await clipboard()).toBe('mine')
      release()
      await expect.poll(clipboard).toContain('decline')
      await own.expectNoOffences()
    }))

  it('text that is not JSON is not sent, nor what stood there before, and Reset replaces it', () =>
    visit(async (page) => {
      const sent: unknown[] = []
      await using world = await createWorld({ server: createServer(sent) })
      const own = await InspectorPage.open(page, world)
      await own.showTool('forecast')
      await page.getByRole('tab', { name: 'JSON' }).click()
      const text = page.getByLabel('Arguments of forecast').last()
      await text.fill('{ "city": "Bern" }')
      await text.fill('{ "city": "Bern", }')
      await page.getByText(/at line 1 column/).waitFor()
      await text.press('Control+Enter')
      await page.getByText('This is not JSON.').waitFor()
      expect(await own.button('Save').isDisabled()).toBe(true)
      expect(await page.getByText('do not fit the schema').count()).toBe(0)
      await own.button('Reset').click()
      await expect.poll(async () => (await text.inputValue()).replaceAll(/\s/g, '')).toBe('{"days":3}')
      await text.fill('{ "city": "Basel" }')
      await text.press('Control+Enter')
      await own.result('done').waitFor()
      expect(sent).toEqual([{ city: 'Basel' }])
      await own.expectNoOffences()
    }))

  it('prompts and resources have the keys of calls too, and the latest bar of the timeline can be seen', () =>
    visit(async (page) => {
      await using world = await createWorld()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.origin })
      const own = await InspectorPage.open(page, world)
      const clipboard = () => page.evaluate('navigator.clipboard.readText()')
      await own.show('Resources')
      await own.item('Today').click()
      await own.button('Read').click()
      await own.result('done').waitFor()
      await page.keyboard.press('y')
      await expect.poll(clipboard).toContain('notes://today')
      await own.show('Prompts')
      await own.item('review').click()
      await page.getByLabel('item').fill('lamp')
      await own.button('Get the prompt').click()
      await own.result('done').waitFor()
      await page.keyboard.press('Shift+Y')
      await expect.poll(clipboard).toMatch(/^mcpwire prompt .* review /)
      await own.show('Timeline')
      const last = page.locator('.bar-row').last()
      const lane = await last.locator('.bar-lane').boundingBox()
      const bar = await last.locator('.bar').boundingBox()
      if (lane === null || bar === null) expect.fail('The bar is not drawn')
      expect(bar.x + bar.width).toBeLessThanOrEqual(lane.x + lane.width + 0.5)
    }))

  it('an address of a screen, a message or a page that there is not says so', () =>
    visit(async (page) => {
      await using world = await createWorld({ server: createServer() })
      const own = await InspectorPage.open(page, world)
      await page.getByRole('heading', { name: 'details' }).waitFor()
      await page.goto(`${world.origin}/#/tolls/forecast`)
      await page.getByText('There is no screen "tolls".').waitFor()
      await own.look('unknown-screen')
      await page.goto(`${world.origin}/#/messages/99999`)
      await page.getByText('This message is not kept.').waitFor()
      expect(await page.getByText('There is no screen').count()).toBe(0)
      await own.expectNoOffences()
      expect((await page.goto(`${world.origin}/tools`))?.status()).toBe(404)
      await page.getByRole('link', { name: 'Open the inspector' }).click()
      await page.getByRole('heading', { name: 'details' }).waitFor()
    }))
})

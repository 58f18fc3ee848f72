// The examples that are clients, applications and handlers: each started by the command in its first lines, on the built package.
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { apps } from '../../src/extensions/apps/apps.ts'
import { describeInChromium } from '../browser/chromium.ts'
import { type Child, startNode } from '../support/child.ts'
import { freePort } from '../support/free-port.ts'

const pathTo = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const TSX = ['--import', 'tsx']
const children: Child[] = []

afterEach(async () => {
  for (const { process } of children) process.kill('SIGKILL')
  await Promise.all(children.splice(0).map(({ ended }) => ended))
})

function start(example: string, env: Record<string, string> = {}): Child {
  const child = startNode([...TSX, pathTo(`examples/${example}`)], env)
  children.push(child)
  return child
}

async function outputOf(example: string, env: Record<string, string> = {}): Promise<string> {
  const { ended, output } = start(example, env)
  const [code] = await ended
  expect(code, output.stderr).toBe(0)
  return output.stdout
}

describe('examples', () => {
  it('host.ts has the tools of three servers in one list', async () => {
    const printed = await outputOf('host.ts')
    for (const tool of ['calculator_add', 'weather_', 'notes_add_note']) expect(printed).toContain(tool)
    expect(printed).toContain("text: '42'")
    expect(printed).toContain('Saved as notes://note/sum.')
  })

  it('worker.ts answers by its handler of fetch', async () => {
    expect(await outputOf('worker.ts')).toMatch(/text: '\d{4}-/)
  })

  it('restart.ts finishes a task after its server was killed, with the steps that were done before', async () => {
    const printed = await outputOf('restart.ts', { PORT: String(await freePort()) })
    expect(printed).toContain('The server was killed.')
    const [, result = ''] = /text: '([^']*)'/.exec(printed) ?? []
    const counted = result.split(', ')
    expect(counted.map((part) => part.split(' ')[0])).toEqual(['1', '2', '3', '4', '5'])
    expect(counted[0]).toBe('1 on node before')
    expect(counted[4]).toBe('5 on node after')
  })

  it.each(['express-app.ts', 'fastify-app.ts'])('%s serves its own routes and MCP, in both eras', async (example) => {
    const port = await freePort()
    const child = start(example, { PORT: String(port) })
    await child.printed('/api/mcp')
    expect(await (await fetch(`http://127.0.0.1:${port}/orders/7`)).text()).toBe('shipped')
    for (const mode of ['legacy', 'modern'] as const) {
      await using client = await Client.connect(`http://127.0.0.1:${port}/api/mcp`, { mode })
      const { content } = await client.callTool('order_state', { id: '7' })
      expect(content).toEqual([{ type: 'text', text: 'shipped' }])
    }
  })

  it('notes.ts serves over HTTP too, by mcpwire run --http', async () => {
    const port = await freePort()
    const child = startNode([
      pathTo('dist/cli/mcpwire.js'),
      'run',
      pathTo('examples/notes.ts'),
      '--http',
      '--port',
      String(port),
    ])
    children.push(child)
    await child.printed('/mcp', 'stderr')
    await using client = await Client.connect(`http://127.0.0.1:${port}/mcp`)
    await client.callTool('add_note', { title: 'a', text: 'b' })
    expect((await client.readResource('notes://note/a')).contents).toMatchObject([{ text: 'b' }])
  })

  it('app-view.ts gives a host its view, and others the text', async () => {
    const target = { command: process.execPath, args: [...TSX, pathTo('examples/app-view.ts')], cwd: pathTo('') }
    await using client = await Client.connect(target, { extensions: [apps()] })
    const { tools } = await client.listTools()
    expect(JSON.stringify(tools[0]?._meta)).toContain('ui://sales/chart')
    const { contents } = await client.readResource('ui://sales/chart')
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('<h1>Sales</h1>') })
    await using plain = await Client.connect(target)
    const { content } = await plain.callTool('sales')
    expect(content).toMatchObject([{ text: expect.stringContaining('June') }])
  })
})

/** A page that does for the view in its frame what a host does: answers it, and sends the result once it is ready. */
const hostPage = (html: string, result: unknown) => `<!doctype html><iframe></iframe><script>
  const frame = document.querySelector('iframe')
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
  addEventListener('message', ({ data }) => {
    if (data.method === 'ui/initialize') send({ id: data.id, result: {} })
    const params = ${JSON.stringify(result)}
    if (data.method === 'ui/notifications/initialized') send({ method: 'ui/notifications/tool-result', params })
  })
  frame.srcdoc = ${JSON.stringify(html).replaceAll('</', '<\\/')}
</script>`

describeInChromium('the view of app-view.ts', (visit) => {
  it('shows what the tool returned, once it has introduced itself', async () => {
    const target = { command: process.execPath, args: [...TSX, pathTo('examples/app-view.ts')], cwd: pathTo('') }
    await using client = await Client.connect(target, { extensions: [apps()] })
    const { contents } = await client.readResource('ui://sales/chart')
    const result = await client.callTool('sales')
    const html = (contents[0] as { text: string }).text
    await visit(async (page) => {
      await page.setContent(hostPage(html, result))
      const bars = page.frameLocator('iframe').locator('li')
      await bars.first().waitFor()
      expect(await bars.allTextContents()).toEqual(['May ███', 'June █████'])
    })
  })
})

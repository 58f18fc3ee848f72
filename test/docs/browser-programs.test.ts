// The programs of the page about clients in a browser: in Chromium, from another origin than the server's.
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { describeInChromium } from '../browser/chromium.ts'
import { startNode } from '../support/child.ts'
import { freePort } from '../support/free-port.ts'
import { startProtectedWorld } from './auth-server.ts'

const root = new URL('../../', import.meta.url)
const pathTo = (path: string) => fileURLToPath(new URL(path, root))

async function bundle(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [pathTo(program)],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** Serves the script as the page of an origin, and callback.html beside it. */
async function servePage(script: string): Promise<string> {
  const callback = readFileSync(pathTo('docs/examples/clients/callback.html'), 'utf8')
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    response.setHeader('content-type', path === '/page.js' ? 'text/javascript' : 'text/html')
    if (path === '/page.js') response.end(script)
    else if (path === '/callback.html') response.end(callback)
    else response.end('<!doctype html><body style="height:90vh"><script type="module" src="/page.js"></script></body>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describeInChromium('docs D5: programs for pages', (visit) => {
  it('clients/browser.ts lists the tools of clients/browser-server.ts, which allows its origin and no other', async () => {
    const page = await servePage(await bundle('docs/examples/clients/browser.ts'))
    const foreign = await servePage(await bundle('docs/examples/clients/browser.ts'))
    const port = await freePort()
    const program = ['--import', 'tsx', pathTo('docs/examples/clients/browser-server.ts')]
    const child = startNode(program, { PORT: String(port), PAGE: page })
    onTestFinished(async () => {
      child.process.kill('SIGINT')
      await child.ended
    })
    await child.printed('/mcp', 'stderr')
    const query = `/?server=${encodeURIComponent(`http://127.0.0.1:${port}/mcp`)}`
    await visit(async (tab) => {
      await tab.goto(page + query)
      await tab.waitForSelector('li')
      expect(await tab.locator('li').allTextContents()).toEqual(['What time is it?'])
      const failed = new Promise((resolve) => tab.once('pageerror', resolve))
      await tab.goto(foreign + query)
      expect(String(await failed)).toContain('ConnectError')
      expect(await tab.locator('li').count()).toBe(0)
    })
  })

  it('clients/browser-login.ts logs in by a pop-up that ends at callback.html', async () => {
    const script = (await bundle('docs/examples/clients/browser-login.ts')).replace(/export \{[^}]*\};?\s*$/, '')
    const page = await servePage(`${script}
      document.body.addEventListener('click', async () => {
        const client = await connectWithLogin(new URLSearchParams(location.search).get('server'))
        document.title = (await client.callTool('whoami')).content[0].text
      })
      document.title = 'ready'`)
    await using world = await startProtectedWorld([page])
    await visit(async (tab) => {
      await tab.goto(`${page}/?server=${encodeURIComponent(world.resource)}`)
      await tab.waitForFunction("document.title === 'ready'")
      await tab.click('body')
      await tab.waitForFunction("document.title.startsWith('You came by')")
      expect(await tab.title()).toBe('You came by authorization_code.')
    })
  })
})

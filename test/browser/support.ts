// What the browser visits: a host on one origin, the sandbox page on another, and two hosts that views may want to reach.
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { MCPServer } from 'mcpwire'
import { apps, sandboxPage } from 'mcpwire/extensions/apps'
import { toNodeHandler } from 'mcpwire/node'
import { createHandler } from 'mcpwire/server'

const page = (name: string) => fileURLToPath(new URL(`pages/${name}`, import.meta.url))

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [page(name)],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

const HOST_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title>
<style>body{font:14px sans-serif;margin:16px}iframe{width:100%;border:1px solid #999}</style>
<h2>Host</h2><p id="state">Loading</p><script type="module" src="/host.js"></script></html>`

async function listen(listener: RequestListener): Promise<{ origin: string; server: Server }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

export interface World extends AsyncDisposable {
  /** The address of the host's page, which shows the view of a tool. */
  urlFor(tool: string, sandbox?: string): string
  readonly hostOrigin: string
  readonly sandboxOrigin: string
  /** What reached the host that no view declared, and the one that they did. */
  readonly reached: { readonly declared: string[]; readonly undeclared: string[] }
  /** Tools that were called, in order. */
  readonly called: string[]
}

/** `hostPage` is the script of the host's page. */
export async function createWorld(hostPage = 'host.js'): Promise<World> {
  const reached = { declared: [] as string[], undeclared: [] as string[] }
  const called: string[] = []
  const target = (list: string[]) =>
    listen((request, response) => {
      list.push(request.url ?? '')
      response.setHeader('access-control-allow-origin', '*')
      response.end('reached')
    })
  const declared = await target(reached.declared)
  const undeclared = await target(reached.undeclared)

  let handle: RequestListener = (_request, response) => response.end()
  const script = await bundle(hostPage)
  const host = await listen((request, response) => {
    if (request.url === '/mcp') return handle(request, response)
    response.setHeader('set-cookie', 'secret=of-the-host')
    const isScript = request.url === '/host.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : HOST_PAGE)
  })
  const sandbox = await listen((request, response) => {
    const { status, headers, html } = sandboxPage(request.url ?? '/', { hostOrigin: host.origin })
    response.writeHead(status, headers).end(html)
  })

  const places = { declared: declared.origin, undeclared: undeclared.origin, host: `${host.origin}/mcp` }
  const server = createWeatherServer(places, await bundle('official-view.js'), called)
  handle = toNodeHandler(createHandler(server))
  const servers = [declared, undeclared, host, sandbox]
  return {
    urlFor: (tool, origin = sandbox.origin) => `${host.origin}/?${new URLSearchParams({ tool, sandbox: origin })}`,
    hostOrigin: host.origin,
    sandboxOrigin: sandbox.origin,
    reached,
    called,
    async [Symbol.asyncDispose]() {
      for (const { server: http } of servers) {
        http.closeAllConnections()
        await new Promise((resolve) => http.close(resolve))
      }
      await server.close()
    },
  }
}

function createWeatherServer(
  places: { declared: string; undeclared: string },
  script: string,
  called: string[],
): MCPServer {
  const server = new MCPServer('weather', { extensions: [apps()] })
  const plain = server.app('ui://weather/plain', {
    html: readFileSync(page('view.html'), 'utf8').replace('PLACES', JSON.stringify(places)),
    csp: { connectDomains: [places.declared] },
    permissions: { clipboardWrite: {} },
  })
  const official = server.app('ui://weather/official', { html: officialHtml(places.undeclared, script) })
  const forecast = () => ({
    content: [{ type: 'text' as const, text: 'Paris: sunny' }],
    structuredContent: { sky: 'sunny' },
  })
  const INPUT = { type: 'object', properties: { city: { type: 'string' } } } as const
  server.tool('get_weather', { input: INPUT, ui: plain }, forecast)
  server.tool('get_weather_official', { input: INPUT, ui: official }, forecast)
  server.tool('refresh', { ui: { visibility: ['app'] } }, () => {
    called.push('refresh')
    return 'refreshed'
  })
  server.tool('delete_all', { ui: { visibility: ['model'] } }, () => {
    called.push('delete_all')
    return 'deleted'
  })
  server.resource('notes://today', () => 'Take an umbrella')
  return server
}

function officialHtml(undeclared: string, script: string): string {
  const rows = ['theme', 'input', 'result', 'call', 'read', 'refused', 'mode', 'asked', 'fetch', 'done']
  const list = rows.map((id) => `<li>${id}: <b id="${id}">-</b></li>`).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Official</title></head>
<body data-undeclared="${undeclared}" style="font:14px sans-serif"><h1>Official view</h1><ul>${list}</ul>
<script type="module">${script.replaceAll('</script', '<\\/script')}</script></body></html>`
}

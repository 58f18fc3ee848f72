// Servers inside Express, Fastify and Hono: under a mount path that nobody repeats, with nothing else let in by it.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { Client } from 'mcpwire'
import { sse } from 'mcpwire/client'
import { createHandler, toNodeHandler } from 'mcpwire/node'
import { MCPServer, toFetch } from 'mcpwire/server'
import { afterEach, describe, expect, it } from 'vitest'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function createMcp(): MCPServer {
  const server = new MCPServer('mounted')
  server.tool('greet', {}, () => 'hello')
  return server
}

async function listen(listener: RequestListener): Promise<string> {
  const http = createServer(listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    http.closeAllConnections()
    return new Promise((resolve) => http.close(resolve))
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

type Framework = (handler: ReturnType<typeof createHandler>) => Promise<string>

/** Each serves at `/api/mcp`, and was told about `/api` once. */
const frameworks: Record<string, Framework> = {
  'Express, app.use': async (handler) => {
    const app = express()
    app.use('/api', toNodeHandler(handler))
    return listen(app)
  },
  'Express, app.use after express.json()': async (handler) => {
    const app = express()
    app.use(express.json())
    app.use('/api', toNodeHandler(handler))
    return listen(app)
  },
  'Express, a router': async (handler) => {
    const [app, router] = [express(), express.Router()]
    router.all('/mcp', toNodeHandler(handler))
    app.use('/api', router)
    return listen(app)
  },
  'Fastify, a route': async (handler) => {
    const app = fastify()
    app.all('/api/mcp', toNodeHandler(handler))
    return listenFastify(app)
  },
  'Fastify, a prefix': async (handler) => {
    const app = fastify()
    app.register(async (scope) => void scope.all('/mcp', toNodeHandler(handler)), { prefix: '/api' })
    return listenFastify(app)
  },
  'Fastify, a wildcard': async (handler) => {
    const app = fastify()
    app.all('/api/*', toNodeHandler(handler))
    return listenFastify(app)
  },
  'Hono, app.mount': async (handler) => {
    const app = new Hono()
    app.mount('/api', toFetch(handler))
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
    return listen((request, response) => void listener(request, response))
  },
}

async function listenFastify(app: ReturnType<typeof fastify>): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  cleanups.push(() => app.close())
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

async function refusalAt(url: string): Promise<{ status: number; message: string }> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  const { error } = (await response.json()) as { error: { message: string } }
  return { status: response.status, message: error.message }
}

describe.each(Object.entries(frameworks))('%s', (_name, mount) => {
  it.each(['modern', 'legacy'] as const)('serves a %s client under the mount path', async (mode) => {
    const origin = await mount(createHandler(createMcp()))
    const client = await Client.connect(`${origin}/api/mcp`, { mode })
    expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'hello' }])
    await client.close()
  })
})

describe('a path that is not the endpoint', () => {
  it('a 404 of the handler names the path that is served', async () => {
    const origin = await listen(toNodeHandler(createHandler(createMcp(), { path: '/tools' })))
    expect(await refusalAt(`${origin}/mcp`)).toEqual({
      status: 404,
      message: 'Not found. The MCP endpoint is at /tools',
    })
  })

  it.each(['Express, app.use', 'Fastify, a wildcard'])('%s: the 404 has the mount path in it', async (name) => {
    const origin = await (frameworks[name] as Framework)(createHandler(createMcp()))
    expect(await refusalAt(`${origin}/api/other`)).toEqual({
      status: 404,
      message: 'Not found. The MCP endpoint is at /api/mcp',
    })
  })

  it.each(['/api', '/api/', '/api?x=1', '/api/other/mcp'])('%s below Express is pointed to /api/mcp', async (path) => {
    const origin = await (frameworks['Express, app.use'] as Framework)(createHandler(createMcp()))
    const { message } = await refusalAt(`${origin}${path}`)
    expect(message).toBe('Not found. The MCP endpoint is at /api/mcp')
  })

  it('a handler that is mounted at its own path names that path', async () => {
    const app = express()
    app.use('/mcp', toNodeHandler(createHandler(createMcp())))
    const { message } = await refusalAt(`${await listen(app)}/mcp/other`)
    expect(message).toBe('Not found. The MCP endpoint is at /mcp')
  })

  it('a client that was rejected there has one full stop at most in a row', async () => {
    const origin = await (frameworks['Express, app.use'] as Framework)(createHandler(createMcp()))
    const failure = await Client.connect(`${origin}/api`).catch((error: unknown) => error)
    expect((failure as Error).message).toContain('The MCP endpoint is at /api/mcp')
    expect((failure as Error).message).not.toContain('..')
  })

  it('a rejection in a whole sentence is not given a second full stop', async () => {
    const error = { code: -32600, message: 'Nothing is here.' }
    const origin = await listen((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    })
    const failure = await Client.connect(`${origin}/mcp`).catch((thrown: unknown) => thrown)
    expect((failure as Error).message).toContain('Streamable HTTP: Nothing is here. HTTP+SSE:')
  })

  it('the end of a path is not enough where no router has chosen its beginning', async () => {
    const handler = toNodeHandler(createHandler(createMcp()))
    const app = express()
    app.use(handler)
    for (const listener of [handler, app]) {
      const origin = await listen(listener)
      expect((await refusalAt(`${origin}/public/mcp`)).status).toBe(404)
    }
  })

  it('what Express cuts off, not what a client adds, is the mount path', async () => {
    const origin = await (frameworks['Express, app.use'] as Framework)(createHandler(createMcp()))
    const refused = await Promise.all(
      ['/api/x/mcp', '/api/mcp/mcp', '/api', '/apix/mcp'].map(async (path) => {
        const { status } = await fetch(`${origin}${path}`, { method: 'POST', body: '{}' })
        return status
      }),
    )
    expect(refused).toEqual([404, 404, 404, 404])
  })

  it('the health check and HTTP+SSE are under the mount path, too', async () => {
    const origin = await (frameworks['Express, app.use'] as Framework)(createHandler(createMcp(), { legacySse: true }))
    expect(await (await fetch(`${origin}/api/health`)).text()).toBe('ok')
    const client = await Client.connect(sse(`${origin}/api/sse`), { mode: 'legacy' })
    expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'hello' }])
    await client.close()
  })
})

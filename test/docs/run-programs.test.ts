// The programs of the pages about frameworks, runtimes, proxies and Docker: each serves a client.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../src/node/http/serve-http.ts'
import { describeEngine } from '../engines/describe-engine.ts'
import { programOf } from '../engines/programs.ts'
import { describeOn } from '../runtimes/installed.ts'
import { type Child, startProgram, watchChild } from '../support/child.ts'
import { freePort } from '../support/free-port.ts'
import { createFolder } from '../unit/node/files/temporary-folder.ts'

const root = new URL('../../', import.meta.url)
const load = <Module>(name: string) =>
  import(/* @vite-ignore */ new URL(`docs/examples/run/${name}.ts`, root).href) as Promise<Module>

afterEach(() => vi.unstubAllEnvs())

async function expectTime(url: string, fetch?: typeof globalThis.fetch): Promise<void> {
  for (const mode of ['legacy', 'modern'] as const) {
    const client = await Client.connect(fetch === undefined ? url : streamableHttp(url, { fetch }), { mode })
    expect((await client.callTool('now')).content).toMatchObject([{ text: expect.stringMatching(/^\d{4}-/) }])
    await client.close()
  }
}

describe('docs D5: programs that serve over HTTP', () => {
  it('run/node-http.ts serves both eras', async () => {
    const port = await freePort()
    vi.stubEnv('PORT', String(port))
    const { listening } = await load<{ listening: Server }>('node-http')
    await expectTime(`http://127.0.0.1:${port}/mcp`)
    listening.closeAllConnections()
    await new Promise((resolve) => listening.close(resolve))
  })

  it('run/next.ts exports a handler for each method', async () => {
    const handlers = await load<Record<string, (request: Request) => Promise<Response>>>('next')
    await expectTime('http://localhost/mcp', ((url: string, init: RequestInit) => {
      const request = new Request(url, init)
      return handlers[request.method]?.(request)
    }) as typeof fetch)
  })

  it('run/workers.ts exports a Worker', async () => {
    const { default: worker } = await load<{ default: { fetch(request: Request): Promise<Response> } }>('workers')
    await expectTime('http://localhost/mcp', ((url: string, init: RequestInit) =>
      worker.fetch(new Request(url, init))) as typeof fetch)
  })

  it('run/docker-server.ts listens on all addresses and names its hosts', async () => {
    const run = vi.spyOn(MCPServer.prototype, 'run').mockResolvedValueOnce(undefined as never)
    await load('docker-server')
    expect(run.mock.calls[0]?.[0]).toMatchObject({
      host: '0.0.0.0',
      allowedHosts: expect.arrayContaining(['mcp.example.com']),
    })
    run.mockRestore()
    const dockerfile = readFileSync(new URL('docs/examples/run/Dockerfile', root), 'utf8')
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(dockerfile).toContain('/health')
  })

  it('run/Dockerfile: its command serves, its health check tells, and SIGTERM ends it', async () => {
    await using temporary = await createFolder()
    const folder = temporary.path
    const steps = readFileSync(new URL('docs/examples/run/Dockerfile', root), 'utf8').trim().split('\n')
    const stepOf = (name: string) => steps.find((step) => step.startsWith(`${name} `))?.slice(name.length + 1) ?? ''
    // COPY: server.js is the program of the page without its types, of which it has none.
    expect(stepOf('COPY')).toBe('package.json package-lock.json ./')
    writeFileSync(join(folder, 'server.js'), readFileSync(new URL('docs/examples/run/docker-server.ts', root), 'utf8'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(fileURLToPath(root), join(folder, 'node_modules/mcpwire'))
    const port = await freePort()
    const [program, ...args] = JSON.parse(stepOf('CMD')) as [string, ...string[]]
    const environment = Object.fromEntries([stepOf('ENV').split('=')]) as Record<string, string>
    const env = { ...process.env, ...environment, PORT: String(port) }
    const child = watchChild(spawn(program, args, { cwd: folder, stdio: 'pipe', env }))
    const check = stepOf('HEALTHCHECK')
      .replace(/^.*?CMD /, '')
      .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
    await child.printed('/mcp', 'stderr')
    expect(spawnSync('sh', ['-c', check.replace(`:${port}/`, `:${port}/none-`)]).status).toBe(1)
    const { status, stderr } = spawnSync('sh', ['-c', check], { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    await expectTime(`http://127.0.0.1:${port}/mcp`)
    child.process.kill('SIGTERM')
    // By the signal, once running calls have ended. As the first process of a container it exits with 0.
    expect(await child.ended).toEqual([null, 'SIGTERM'])
  })

  for (const runtime of ['bun', 'deno'] as const) {
    describeOn(runtime, (program) => {
      it(`run/${runtime}.ts serves both eras`, async () => {
        const outfile = fileURLToPath(new URL(`build/docs/run/${runtime}.js`, root))
        await build({
          absWorkingDir: fileURLToPath(root),
          entryPoints: [`docs/examples/run/${runtime}.ts`],
          outfile,
          bundle: true,
          alias: { mcpwire: './dist/lib/index.js', 'mcpwire/server': './dist/lib/server.js' },
          format: 'esm',
          platform: 'neutral',
          external: ['node:*', 'jose', 'oauth4webapi'],
          logLevel: 'warning',
        })
        const port = await freePort()
        const args = runtime === 'bun' ? ['run', outfile] : ['run', '--allow-net', '--allow-env', '--no-lock', outfile]
        const child = startProgram(program, args, { PORT: String(port) })
        try {
          const url = `http://127.0.0.1:${port}/mcp`
          await vi.waitFor(
            async () => expect((await fetch(url, { method: 'OPTIONS' })).status).toBeGreaterThan(0),
            60_000,
          )
          await expectTime(url)
        } finally {
          child.process.kill('SIGKILL')
          await child.ended
        }
      })
    })
  }

  describeEngine('nginx', 'behind nginx', () => {
    it('run/nginx.conf passes on a call, its progress before its result, and the host', () =>
      expectPassedOn((folder, port, host) => {
        const config = readFileSync(new URL('docs/examples/run/nginx.conf', root), 'utf8')
          .replace('listen 80', `listen 127.0.0.1:${port}`)
          .replace('127.0.0.1:3000', host)
        const file = join(folder, 'nginx.conf')
        writeFileSync(file, `error_log stderr; events {}\nhttp { access_log off;\n${config}}\n`)
        const args = ['-c', file, '-p', folder, '-g', `daemon off; pid ${join(folder, 'nginx.pid')};`]
        return startProgram(programOf('nginx'), args)
      }))
  })

  describeEngine('Caddy', 'behind Caddy', () => {
    it('run/Caddyfile passes on a call, its progress before its result, and the host', () =>
      expectPassedOn((folder, port, host) => {
        const written = readFileSync(new URL('docs/examples/run/Caddyfile', root), 'utf8')
        const config = written.replace('mcp.example.com', `http://127.0.0.1:${port}`).replace('127.0.0.1:3000', host)
        expect(config).not.toBe(written)
        const file = join(folder, 'Caddyfile')
        // Without its interface for administration, which has one port for the whole machine.
        writeFileSync(file, `{\n\tadmin off\n}\n${config}`)
        const args = ['run', '--config', file, '--adapter', 'caddyfile']
        return startProgram(programOf('Caddy'), args, { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder })
      }))
  })
})

/** Calls a slow tool in both eras through the proxy that `start` puts before a server. */
async function expectPassedOn(start: (folder: string, port: number, host: string) => Child): Promise<void> {
  await using temporary = await createFolder()
  const port = await freePort()
  const server = new MCPServer('slow')
  let goOn: () => void = () => {}
  server.tool('work', async (_args, ctx) => {
    const seen = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await ctx.reportProgress(1, 2, 'half')
    await seen
    return ctx.http?.headers['host'] ?? ''
  })
  const serving = await serveHttp(server, { port: 0 })
  const proxy = start(temporary.path, port, new URL(serving.url).host)
  try {
    const url = `http://127.0.0.1:${port}/mcp`
    await vi.waitFor(async () => expect((await fetch(url, { method: 'OPTIONS' })).status).toBeGreaterThan(0), 60_000)
    for (const mode of ['legacy', 'modern'] as const) {
      const client = await Client.connect(url, { mode })
      // The result waits for the progress, so that a buffer in between would stop both.
      const { content } = await client.callTool('work', {}, { onProgress: () => goOn() })
      expect(content).toMatchObject([{ text: `127.0.0.1:${port}` }])
      await client.close()
    }
  } finally {
    proxy.process.kill('SIGTERM')
    await proxy.ended
    await serving.close()
  }
}

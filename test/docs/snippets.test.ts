// Every piece of code in the documentation is a file under docs/examples, and every such file runs.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { platform } from '../../src/node/platform.ts'
import type { HttpServing } from '../../src/server/http/serve-options.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { startNats } from '../engines/nats.ts'
import { startRedis } from '../engines/redis.ts'
import { sharedPostgres } from '../engines/shared.ts'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import { bundleProgram } from '../support/bundle.ts'
import { startNode } from '../support/child.ts'
import { freePort } from '../support/free-port.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

const pages = [
  'README.md',
  ...readdirSync(new URL('docs', root))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]
const examples = readdirSync(new URL('docs/examples', root)).map((file) => `docs/examples/${file}`)

const SECRET = 'a secret of the documentation, of 32 bytes'

/** Code blocks with the file that the comment before them names. */
function snippetsOf(page: string): { page: string; file: string | undefined; code: string }[] {
  const blocks = read(page).matchAll(/(?:<!-- (docs\/examples\/[\w./-]+\.ts) -->\n)?```ts\n([\s\S]*?)```/g)
  return [...blocks].map(([, file, code]) => ({ page, file, code: code as string }))
}

const printed: string[] = []
vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
  printed.push(format(...values))
})

afterEach(() => {
  printed.length = 0
  vi.unstubAllEnvs()
})

async function runExample(example: string): Promise<void> {
  await import(/* @vite-ignore */ new URL(example, root).href)
}

/** The next server that runs does so on a port of the test's choice, whatever the example says. */
function serveOnAnyPort(port = 0): Promise<HttpServing> {
  const run = MCPServer.prototype.run
  return new Promise((resolve) => {
    vi.spyOn(MCPServer.prototype, 'run').mockImplementationOnce(async function (this: MCPServer, options) {
      const serving = await run.call(this, { ...options, port, handleSignals: false } as never)
      resolve(serving as unknown as HttpServing)
    })
  })
}

/** What examples print that have no recorded output: test/docs/programs.test.ts runs all others. */
const output: Record<string, string> = {
  'docs/examples/start/ask.ts': "[ { type: 'text', text: 'Ordered: book' } ]",
  'docs/examples/dispatcher.ts': "{ method: 'hello', params: { _meta: {}, name: 'Ada' } }",
}

describe('the documentation', () => {
  it.each(pages.flatMap(snippetsOf))('$page shows $file as it is', ({ file, code }) => {
    expect(file, 'a snippet names its file').toBeDefined()
    expect(code).toBe(read(file as string))
  })

  it('docs/examples/calculator-server.ts serves over stdio, in both eras', async () => {
    const outfile = fileURLToPath(new URL('build/fixtures/calculator-server.js', root))
    await build({
      absWorkingDir: fileURLToPath(root),
      entryPoints: ['docs/examples/calculator-server.ts'],
      outfile,
      alias: {
        mcpwire: fileURLToPath(new URL('src/exports/index.ts', root)),
        '#platform': fileURLToPath(new URL('src/node/platform.ts', root)),
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    })
    for (const mode of ['auto', 'legacy'] as const) {
      await using client = await Client.connect({ command: process.execPath, args: [outfile] }, { mode })
      const result = await client.callTool('add', { a: 1, b: 2 })
      expect(result.structuredContent).toEqual({ result: 3 })
      const { contents } = await client.readResource('greeting://Ada')
      expect(contents).toMatchObject([{ text: 'Hello, Ada!' }])
    }
  })

  it('docs/examples/backend-contract.ts passes with node:test', async () => {
    const outfile = fileURLToPath(new URL('build/fixtures/backend-contract.js', root))
    await build({
      absWorkingDir: fileURLToPath(root),
      entryPoints: ['docs/examples/backend-contract.ts'],
      outfile,
      alias: {
        'mcpwire/backend': fileURLToPath(new URL('src/exports/backend.ts', root)),
        'mcpwire/testing/backend': fileURLToPath(new URL('src/exports/testing/backend.ts', root)),
        '#platform': fileURLToPath(new URL('src/node/platform.ts', root)),
      },
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    })
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', outfile])
    expect(stdout).toMatch(/^# fail 0$/m)
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(180)
  })

  it('docs/examples/start/http.ts serves docs/examples/start/client.ts', async () => {
    const serving = serveOnAnyPort()
    await runExample('docs/examples/start/http.ts')
    const { url, close } = await serving
    const connect = Client.connect.bind(Client)
    vi.spyOn(Client, 'connect').mockImplementationOnce(() => connect(url))
    await runExample('docs/examples/start/client.ts')
    expect(`${printed.join('\n')}\n`).toBe(read('docs/examples/start/client.txt'))
    await close()
  })

  it('docs/examples/start/command.ts starts docs/examples/start/server.ts', async () => {
    const connect = Client.connect.bind(Client)
    vi.spyOn(Client, 'connect').mockImplementationOnce((target: unknown) => {
      expect(target).toEqual({ command: 'npx', args: ['mcpwire', 'run', 'server.ts'] })
      const [command, server] = ['dist/cli/mcpwire.js', 'docs/examples/start/server.ts'].map((file) =>
        fileURLToPath(new URL(file, root)),
      ) as [string, string]
      return connect({ command: process.execPath, args: [command, 'run', server] })
    })
    await runExample('docs/examples/start/command.ts')
    expect(`${printed.join('\n')}\n`).toBe(read('docs/examples/start/command.txt'))
  })

  it('docs/examples/dev-authorization.ts logs in, and once more for another scope', async () => {
    vi.stubEnv('PORT', String(await freePort()))
    await runExample('docs/examples/dev-authorization.ts')
    expect(`${printed.join('\n')}\n`).toBe(read('docs/examples/dev-authorization.txt'))
  })

  it('docs/examples/static-tokens.ts serves the caller of a token', async () => {
    vi.stubEnv('PORT', '0')
    await runExample('docs/examples/static-tokens.ts')
    expect(`${printed.join('\n')}\n`).toBe(read('docs/examples/static-tokens.txt'))
  })

  it('docs/examples/sqlite-server.ts keeps what a session counts in its file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-docs-'))
    vi.stubEnv('STATE_FILE', join(folder, 'state.db'))
    vi.stubEnv('MCP_SECRET', SECRET)
    const serving = serveOnAnyPort()
    await runExample('docs/examples/sqlite-server.ts')
    const { url, close } = await serving
    await using client = await Client.connect(url, { mode: 'legacy' })
    for (const text of ['Call 1', 'Call 2']) {
      expect(await client.callTool('count')).toMatchObject({ content: [{ text }] })
    }
    expect(existsSync(join(folder, 'state.db'))).toBe(true)
    await client.close()
    await close()
    rmSync(folder, { recursive: true })
  })

  describeEngine('Postgres', 'with Postgres', () => {
    it('docs/examples/postgres-server.ts keeps what a session counts in Postgres', async () => {
      vi.stubEnv('DATABASE_URL', (await sharedPostgres()).url)
      vi.stubEnv('MCP_SECRET', SECRET)
      const serving = serveOnAnyPort()
      await runExample('docs/examples/postgres-server.ts')
      const { url, close } = await serving
      await using client = await Client.connect(url, { mode: 'legacy' })
      for (const text of ['Call 1', 'Call 2']) {
        expect(await client.callTool('count')).toMatchObject({ content: [{ text }] })
      }
      await client.close()
      await close()
    })
  })

  describeEngine('NATS', 'with NATS', () => {
    const engine = useEngine(() => startNats())

    it('docs/examples/nats-server.ts keeps what a session counts on NATS', async () => {
      vi.stubEnv('NATS_URL', engine().url)
      vi.stubEnv('MCP_SECRET', SECRET)
      const serving = serveOnAnyPort()
      await runExample('docs/examples/nats-server.ts')
      const { url, close } = await serving
      await using client = await Client.connect(url, { mode: 'legacy' })
      for (const text of ['Call 1', 'Call 2']) {
        expect(await client.callTool('count')).toMatchObject({ content: [{ text }] })
      }
      await client.close()
      await close()
    })
  })

  describeEngine('Redis', 'with an engine', () => {
    const engine = useEngine(() => startRedis())

    it('docs/examples/many-nodes.ts is a node on Redis', async () => {
      vi.stubEnv('REDIS_URL', engine().url)
      vi.stubEnv('MCP_SECRET', SECRET)
      const serving = serveOnAnyPort()
      await runExample('docs/examples/many-nodes.ts')
      const { url, close } = await serving
      await using client = await Client.connect(url, { mode: 'legacy' })
      expect(await client.callTool('where')).toMatchObject({ content: [{ text: `process ${process.pid}` }] })
      await client.close()
      await close()
    })

    it('docs/examples/bullmq-jobs.ts serves in one process and runs the jobs of BullMQ in another', async () => {
      const code = read('docs/examples/bullmq-jobs.ts')
        .replaceAll(/'mcpwire\/([\w/-]+)'/g, "'./src/exports/$1.ts'")
        .replaceAll("'mcpwire'", "'./src/exports/index.ts'")
      const program = await bundleProgram('bullmq-jobs', code)
      const port = await freePort()
      // BullMQ takes no path of a socket as a URL.
      const redisPort = await freePort()
      const ownRedis = await startRedis({ args: ['--bind', '127.0.0.1', '--port', String(redisPort)] })
      const env = { REDIS_URL: `redis://127.0.0.1:${redisPort}`, PORT: String(port) }
      const children = [startNode([program], { ...env, ROLE: 'worker' }), startNode([program], env)] as const
      onTestFinished(async () => {
        // SIGINT, because SIGTERM leaves a balancer 5 s to notice.
        for (const child of children) child.process.kill('SIGINT')
        await Promise.all(children.map(({ ended }) => ended))
        await ownRedis.close()
      })
      await children[0].printed('Working', 'stderr')
      await children[1].printed('/mcp', 'stderr')
      await using client = await Client.connect(`http://127.0.0.1:${port}/mcp`, { extensions: [tasks()] })
      expect(await client.callTool('build_report')).toMatchObject({
        content: [{ text: `Built by process ${children[0].process.pid}` }],
      })
    })

    it('docs/examples/redis-server.ts keeps what a session counts in Redis', async () => {
      vi.stubEnv('REDIS_URL', engine().url)
      vi.stubEnv('MCP_SECRET', SECRET)
      const serving = serveOnAnyPort()
      await runExample('docs/examples/redis-server.ts')
      const { url, close } = await serving
      await using client = await Client.connect(url, { mode: 'legacy' })
      for (const text of ['Call 1', 'Call 2']) {
        expect(await client.callTool('count')).toMatchObject({ content: [{ text }] })
      }
      await client.close()
      await close()
    })
  })

  it('docs/examples/skills-server.ts serves docs/examples/skills-client.ts', async () => {
    const serving = serveOnAnyPort()
    await runExample('docs/examples/skills-server.ts')
    const { url, close } = await serving
    const connect = Client.connect.bind(Client)
    vi.spyOn(Client, 'connect').mockImplementationOnce((_target: unknown, options) => connect(url, options))
    await runExample('docs/examples/skills-client.ts')
    expect(`${printed.join('\n')}\n`).toBe(read('docs/examples/skills-client.txt'))
    await close()
  })

  it('docs/examples/protected-server.ts lets docs/examples/login-client.ts in after a login', async () => {
    const port = await freePort()
    const resource = `http://127.0.0.1:${port}/mcp`
    await using authorization = await startAuthorizationServer({ resources: { [resource]: { scopes: [] } } })
    vi.stubEnv('ISSUER', authorization.issuer)
    vi.stubEnv('RESOURCE', resource)
    vi.spyOn(platform, 'openBrowser').mockImplementation(async (url) => {
      const arrival = await authorization.login(url)
      return (await fetch(arrival)).ok
    })
    const serving = serveOnAnyPort(port)
    await runExample('docs/examples/protected-server.ts')
    const { close } = await serving
    await runExample('docs/examples/login-client.ts')
    expect(printed.join('\n')).toMatch(/'You are [^']+\.'/)
    await close()
  })

  it.each(['express', 'fastify', 'hono'])(
    'docs/examples/mount-%s.ts serves under its mount path',
    async (framework) => {
      const port = await freePort()
      vi.stubEnv('PORT', String(port))
      const mounted = (await import(/* @vite-ignore */ new URL(`docs/examples/mount-${framework}.ts`, root).href)) as {
        listening?: { close(done: () => void): void }
        app?: { close(): Promise<void> }
      }
      const client = await Client.connect(`http://127.0.0.1:${port}/api/mcp`)
      expect((await client.callTool('now')).content).toMatchObject([{ type: 'text' }])
      await client.close()
      await mounted.app?.close()
      if (mounted.listening) await new Promise<void>((resolve) => mounted.listening?.close(resolve))
    },
  )

  it.each(examples.filter((file) => output[file] !== undefined))('%s runs', async (example) => {
    await runExample(example)
    expect(printed.join('\n')).toBe(output[example])
  })
})

// What a command advises: something that this command can do, for this target.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MCPServer, type MCPServerOptions } from 'mcpwire'
import { requireBearer, verifyStaticTokens } from 'mcpwire/auth'
import { BackendError } from 'mcpwire/backend'
import { tasks } from 'mcpwire/extensions/tasks'
import { serveHttp } from 'mcpwire/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { listen } from '../../inspector/backend/serve.ts'
import { mcpwire, program, startCommand } from '../../test/support/command-line.ts'
import { explain } from '../errors/explain.ts'
import { programFailure } from '../serving/program-failure.ts'
import { createExampleProject } from './example-project.ts'

type Serving = Awaited<ReturnType<typeof serveHttp>>

async function serve(options: MCPServerOptions, add?: (server: MCPServer) => void): Promise<string> {
  const server = new MCPServer('test', options)
  add?.(server)
  return keep(await serveHttp(server, { port: 0 }))
}

function keep(serving: Serving): string {
  onTestFinished(() => serving.close())
  return String(serving.url)
}

const TOKEN = 'a-token-of-this-test-alone'

/** A server with a token and no authorization server. `resource` is what it says of itself. */
async function protectedServer(resource: string): Promise<string> {
  const server = new MCPServer('protected')
  server.tool('w', { scopes: ['notes:write', 'notes:read'] }, () => 'written')
  server.resource('notes://1', { name: 'one', scopes: ['notes:read'] }, () => 'text')
  const verifier = verifyStaticTokens({ [TOKEN]: { clientId: 'test', scopes: [] } })
  const auth = (handler: Parameters<typeof requireBearer>[0]) =>
    requireBearer(handler, { resource, issuer: false, verifier })
  return keep(await serveHttp(server, { port: 0, auth }))
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-advice-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('revisions that do not fit', () => {
  it.each([
    ['2026-07-28', 'legacy', 'Leave --mode out, or use --mode 2026-07-28.'],
    ['2025-03-26', 'modern', 'Leave --mode out, or use --mode 2025-03-26.'],
    ['2025-03-26', '2025-11-25', 'Leave --mode out, or use --mode 2025-03-26.'],
  ] as const)('a server of %s, with --mode %s', async (version, mode, advice) => {
    const url = await serve({ supportedVersions: [version] }, (server) => server.tool('a', () => 'b'))
    const { code, stderr } = await mcpwire(['list', url, '--mode', mode])
    expect(code).toBe(3)
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`The server speaks ${version}. ${advice}`)
    expect(stderr).not.toMatch(/mode '/)
    expect((await mcpwire(['list', url])).code).toBe(0)
  })

  it('a server of revisions that mcpwire does not speak: the mode is not to blame', async () => {
    const http = createHttpServer((_request, response) => {
      const data = { supported: ['2030-01-01'], requested: '2026-07-28' }
      const error = { code: -32022, message: 'Unsupported protocol version', data }
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
    }).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const { stderr } = await mcpwire(['list', `http://127.0.0.1:${(http.address() as { port: number }).port}/mcp`])
    expect(stderr).toMatch(
      /The server speaks 2030-01-01, and mcpwire 2024-11-05, .*\. Update the older of the two\.\n$/,
    )
    expect(stderr).not.toContain('--mode')
  })

  it.each([
    ['handshake', 'legacy'],
    ['stateless', 'modern'],
  ])('the old mode %s: its name is %s now', async (old, name) => {
    const { code, stderr } = await mcpwire(['list', 'http://127.0.0.1:9/mcp', '--mode', old])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `mcpwire: The mode "${old}" is now called "${name}".\nUse --mode ${name}.\n`,
    })
  })
})

describe('scopes', () => {
  it.each(['auto', 'legacy'])('that a token lacks are named, in mode %s', async (mode) => {
    const url = await protectedServer('http://127.0.0.1/mcp')
    const options = ['--token', TOKEN, '--mode', mode]
    const { code, stderr } = await mcpwire(['call', url, 'w', ...options])
    const login = `mcpwire login ${url} --scope notes:write --scope notes:read`
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `mcpwire: The caller does not have the required scopes: notes:write, notes:read.\nUse a token with these scopes, or run: ${login}\n`,
    })
    const read = await mcpwire(['read', url, 'notes://1', '--json', ...options])
    expect(JSON.parse(read.stderr)).toMatchObject({
      error: { slug: 'scopes-missing', help: 'mcpwire/docs/errors/scopes-missing.md', exitCode: 4 },
    })
  })
})

describe('login', () => {
  it.each(['login', 'logout'])('%s without a target asks for a URL or a name', async (verb) => {
    for (const words of [[], ['nothing-of-that-name'], [program('works.js')]]) {
      const { code, stderr } = await mcpwire([verb, ...words])
      expect(code).toBe(2)
      expect(stderr).toContain(
        `\nGive a URL or @name of a configured server, as in: mcpwire ${verb} https://example.com/mcp\n`,
      )
      expect(stderr).not.toMatch(/a file,|command after|for a command/)
    }
  })

  it('at a server that has only tokens says so, in options of the command', async () => {
    for (const resource of ['http://127.0.0.1/mcp', 'https://notes.example.com/mcp']) {
      const { code, stderr } = await mcpwire(['login', await protectedServer(resource), '--no-open'])
      expect(code).not.toBe(0)
      expect(stderr).toContain('Use --token with a token of the server.')
      expect(stderr).not.toContain('metadataOrigins')
    }
  })
})

describe('what a server does not have', () => {
  it('tools, prompts and resources', async () => {
    const empty = await serve({}, (server) => server.prompt('p', () => 'text'))
    expect(await mcpwire(['call', empty, 'add'])).toMatchObject({
      code: 1,
      stderr: `mcpwire: The server has no tools.\nRun \`mcpwire list ${empty}\` to see what it has.\n`,
    })
    expect((await mcpwire(['read', empty, 'a://b'])).stderr).toContain('mcpwire: The server has no resources.\n')
    const other = await serve({}, (server) => server.tool('t', () => 'text'))
    const { code, stderr } = await mcpwire(['prompt', other, 'p', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({
      error: { slug: 'unknown-prompt', message: 'The server has no prompts.' },
    })
  })

  it.each(['legacy', 'modern'])('tasks: --task is refused before the call, in mode %s', async (mode) => {
    let calls = 0
    const count = (server: MCPServer) => server.tool('plain', () => String(++calls))
    const none = await serve({}, count)
    expect(await mcpwire(['call', none, 'plain', '--task', '--mode', mode])).toMatchObject({
      code: 1,
      stderr: 'mcpwire: The server has no tasks.\nLeave out --task.\n',
    })
    expect(calls).toBe(0)
  })

  it('a task for one tool: a legacy server says so, and --task is refused before the call', async () => {
    let calls = 0
    const url = await serve({ extensions: [tasks()] }, (server) => {
      server.tool('plain', () => String(++calls))
      server.tool('long', { task: true }, () => 'done')
    })
    const { code, stderr } = await mcpwire(['call', url, 'plain', '--task', '--mode', 'legacy'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "mcpwire: The tool plain can't run as a task.\nLeave out --task.\n",
    })
    expect(calls).toBe(0)
  })

  it('a task for one tool of a modern server: the command says why it waits', async () => {
    const url = await serve({ extensions: [tasks()] }, (server) =>
      server.tool('endless', (_args, ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', reject))),
    )
    const child = startCommand(['call', url, 'endless', '--task'])
    onTestFinished(() => void child.kill())
    let said = ''
    for await (const text of child.stderr.setEncoding('utf8')) {
      said += String(text)
      if (said.includes('has not made a task of endless yet')) break
    }
    expect(said).toContain('It may be running it at once, without one.')
  })
})

describe('places', () => {
  it('a port that is in use, in the words of Node', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }
    // The inspector listens so.
    const error = await listen(createServer() as never, port, '127.0.0.1').catch((thrown: unknown) => thrown)
    expect(explain(error)).toMatchObject({
      slug: 'port-in-use',
      message: `Cannot listen on 127.0.0.1:${port}: the port is in use`,
      fix: 'Use --port 0 for any free port, or end the process that uses this one.',
      exitCode: 3,
    })
  })

  it.each(['list', 'openapi'])('%s names a URL where nothing listens once', async (verb) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    await new Promise((resolve) => taken.close(resolve))
    const url = `http://127.0.0.1:${port}/mcp`
    const { stderr } = await mcpwire([verb, url])
    expect(stderr.split(url)).toHaveLength(2)
    expect(stderr).toContain(': nothing accepts connections there')
  })

  it('a port that may not be used is no bug', () => {
    const error = Object.assign(new Error('listen EACCES: permission denied 127.0.0.1:80'), {
      code: 'EACCES',
      syscall: 'listen',
    })
    expect(explain(error)).toMatchObject({
      slug: 'address-not-available',
      message: 'Cannot listen on 127.0.0.1:80: EACCES',
    })
  })

  it('a URL that ends in /mcp is not told that the path is often /mcp', async () => {
    const http = createHttpServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' })
      response.end('<pre>Cannot POST /mcp</pre>')
    }).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const origin = `http://127.0.0.1:${(http.address() as { port: number }).port}`
    expect((await mcpwire(['list', `${origin}/mcp`])).stderr).toContain('\nCheck the URL, and that the server is ')
    expect((await mcpwire(['list', `${origin}/other`])).stderr).toContain('\nCheck the URL. The path is often /mcp.')
  })

  it('doctor names no class of the library as the cause', async () => {
    const env = { HOME: temporaryFolder() }
    const { stdout } = await mcpwire(['doctor', '@nothing-of-that-name'], { env, cwd: env.HOME })
    expect(stdout).toContain('Cause: The target of a command is a URL, a file with a server,')
    expect(stdout).not.toContain('Client.connect')
    const url = await serve({}, (server) =>
      server.prompt('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`),
    )
    const { stderr } = await mcpwire(['prompt', url, 'greet', '--json'])
    expect(JSON.parse(stderr)).toMatchObject({ error: { slug: 'invalid-arguments' } })
    expect(stderr).not.toMatch(/The model/)
  })

  it('servers --config lists the servers of one file', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'mine.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { mine: { command: 'node', args: ['none.js'] } } }))
    const { code, stdout } = await mcpwire(['servers', '--config', file, '--no-check', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      files: [
        { file, servers: [{ name: 'mine', entry: { command: 'node', args: ['none.js'] }, state: 'not checked' }] },
      ],
    })
    expect((await mcpwire(['servers', '--config', file, '--no-check'])).stdout).toMatch(/^\S*mine\.json\n {2}mine /)
    const missing = await mcpwire(['servers', '--config', join(folder, 'none.json')])
    expect({ ...missing, stderr: missing.stderr.replace(folder, '') }).toEqual({
      code: 3,
      stdout: '',
      stderr: `mcpwire: ${join('/', 'none.json')} does not exist.\nCheck the path of --config.\n`,
    })
  })
})

describe('an optional package that is not installed', () => {
  it.each([
    ['A URL for redis() needs the package ioredis. Run: npm install ioredis@6', 'Run: npm install ioredis@6'],
    ['No client of Postgres is installed. Run npm install pg@8, or npm install postgres@3.', 'Run: npm install pg@8'],
    [
      'This Node (v20) has no node:sqlite, and no package for SQLite is installed. Run npm install libsql@0.5, or use Node 22.13 or later.',
      'Run: npm install libsql@0.5',
    ],
  ])('%s', async (message, fix) => {
    const error = new BackendError(message, { kind: 'unavailable', operation: 'open' })
    expect(explain(error).fix).toBe(fix)
    expect(explain(await programFailure('server.ts', error)).fix).toBe(fix)
  })

  it('what an engine says is not taken for a command', async () => {
    const error = new BackendError('open failed: npm install evil@1', { kind: 'unavailable', operation: 'open' })
    expect(explain(await programFailure('server.ts', error)).fix).toBe(
      'Check that the engine of the backend runs, and its URL.',
    )
  })

  it('also of a part of the package that is no backend', async () => {
    const message =
      'devAuthorizationServer() needs the package oidc-provider. Run: npm install --save-dev oidc-provider@9'
    expect(explain(await programFailure('server.ts', new Error(message))).fix).toBe(
      'Run: npm install --save-dev oidc-provider@9',
    )
  })
})

function projectWith(files: Record<string, string>) {
  const project = createExampleProject()
  onTestFinished(() => project[Symbol.dispose]())
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project.folder, name), text)
  return project
}

describe('a mistake in a server file', () => {
  it.each([
    ["import { McpServer } from 'mcpwire'", "Import MCPServer from 'mcpwire'."],
    ["import { ToolError } from 'mcpwire/server'", "Import ToolError from 'mcpwire'."],
    ["import { conect } from 'mcpwire/testing'", "Import connect from 'mcpwire/testing'."],
    ["import { MCPServer } from 'mcpwire/srver'", "Import from 'mcpwire/server'."],
    ["import { nothingLikeIt } from 'mcpwire'", 'Correct the file.'],
  ])('%s gets the name that was meant', async (line, fix) => {
    const { run } = projectWith({ 'server.js': line })
    const { code, stderr } = await run('list', 'server.js')
    expect(code).toBe(3)
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(fix)
  })

  it('that shows after it serves is told in words, by the file and not by a line of mcpwire', async () => {
    const { run, folder } = projectWith({
      'two.js': `
        import { MCPServer } from 'mcpwire'
        const [first, second] = [new MCPServer('first'), new MCPServer('second')]
        first.tool('wait', () => new Promise((resolve) => setTimeout(resolve, 200)))
        await Promise.all([first.run(), second.run()])`,
    })
    const { stderr } = await run('call', 'two.js', 'wait')
    expect(stderr).toContain(
      `[stderr] mcpwire: ${join(folder, 'two.js')}: Error: stdio is in use: this process already serves another server over it\n` +
        '[stderr] Correct the file.',
    )
    expect(stderr).not.toContain('{"error"')
  })
})

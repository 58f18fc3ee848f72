// mcpwire inspect: what a server offers and answers, over stdio and HTTP, in both eras.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveHttp } from 'mcpwire/node'
import { MCPServer } from 'mcpwire/server'
import { describe, expect, it } from 'vitest'
import { MAIN, MAX_MS, mcpwire, program, startCommand } from '../../test/support/command-line.ts'

const exported = program('exported.js')

describe('mcpwire inspect', () => {
  it('shows what a server offers', async () => {
    const { code, stdout, stderr } = await mcpwire(['inspect', exported])
    expect(code).toBe(0)
    expect(stdout).toBe(`calculator 1.2.3 speaks 2026-07-28

  Adds.
  Does nothing else.

Tools
  add(a: number, b: number, unit?: "m" | "km")
    Adds two numbers
  echo(text?: string, list?: any)
  fail()
  environment()
  picture()

Resources
  note://today  note://today

Resource templates
  greeting://{name}  greeting://{name}

Prompts
  poem(about)
`)
    // What the program printed is not lost.
    expect(stderr).toContain('printed while loading')
  })

  it.each(['auto', 'legacy', '2026-07-28'])('in mode %s calls a tool, and shows its log and progress', async (mode) => {
    const { code, stdout, stderr } = await mcpwire([
      'inspect',
      exported,
      '--mode',
      mode,
      '--call',
      'add',
      '-a',
      'a=1',
      '--arg',
      'b=2',
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '3\n' })
    expect(stderr).toContain('[info] adding 1 and 2\n1 of 2: half way\n')
  })

  it.each([
    [['--read', 'note://today'], 'Buy milk.\n'],
    [['--read', 'greeting://Ada'], 'Hello, Ada!\n'],
    [['--prompt', 'poem', '-a', 'about=rain'], 'user: Write a poem about rain.\n'],
    [['--call', 'picture'], '[image: image/png, 4 bytes]\n'],
    [['--call', 'environment', '-e', 'OWN_VARIABLE=yes'], 'yes\n'],
    [['--call', 'echo', '-a', 'text=1', '-a', 'list=[1]'], '{"text":"1","list":[1]}\n'],
  ])('%j', async (args, shown) => {
    const { code, stdout } = await mcpwire(['inspect', exported, ...args])
    expect({ code, stdout }).toEqual({ code: 0, stdout: shown })
  })

  it('prints JSON for programs', async () => {
    const { stdout } = await mcpwire(['inspect', exported, '--call', 'add', '--args', '{"a":1,"b":2}', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      content: [{ type: 'text', text: '3' }],
      structuredContent: { result: 3 },
    })
    const overview = JSON.parse((await mcpwire(['inspect', exported, '--json'])).stdout)
    expect(overview.tools.map(({ name }: { name: string }) => name)).toContain('add')
  })

  it('starts a command, with all of its arguments', async () => {
    const { stdout } = await mcpwire([
      'inspect',
      '--call',
      'environment',
      '--',
      process.execPath,
      '--no-warnings',
      program('stdio-server.js'),
    ])
    expect(stdout).toBe('not set\n')
  })

  it('reaches a server by its URL, with the headers that were given', async () => {
    const server = new MCPServer('remote')
    server.tool('who', {}, (_args, ctx) => ctx.http?.headers['x-who'] ?? 'nobody')
    await using serving = await serveHttp(server, { port: 0 })
    const call = (...args: string[]) => mcpwire(['inspect', serving.url, '--call', 'who', ...args])
    expect((await call('-H', 'X-Who: Ada')).stdout).toBe('Ada\n')
    expect((await call()).stdout).toBe('nobody\n')
    expect((await call('--mode', 'legacy')).stdout).toBe('nobody\n')
  })

  it('R34 starts what was typed, word for word and without a shell', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcpwire-cli-'))
    try {
      const config = join(folder, 'mcp.json')
      await writeFile(
        config,
        JSON.stringify({ mcpServers: { x: { command: 'echo x; touch pwned', args: ['$(touch pwned)'] } } }),
      )
      for (const args of [
        ['echo x; touch pwned'],
        ['--', 'echo', '$(touch pwned)', '; touch pwned'],
        ['--config', config],
      ]) {
        const { code } = await mcpwire(['inspect', '--timeout', '5', ...args], { cwd: folder })
        expect([1, 3]).toContain(code)
      }
      expect(await readdir(folder)).toEqual(['mcp.json'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('finds a server in a file, by its name or because it is the only one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcpwire-cli-'))
    try {
      const config = join(folder, 'mcp.json')
      const one = {
        command: process.execPath,
        args: [program('stdio-server.js')],
        env: { OWN_VARIABLE: 'from the file' },
        extra: 1,
      }
      await writeFile(config, JSON.stringify({ mcpServers: { one } }), { mode: 0o600 })
      const call = ['inspect', '--config', config, '--call', 'environment']
      const { stdout, stderr } = await mcpwire(call)
      expect(stdout).toBe('from the file\n')
      expect(stderr).toContain("'extra' of the server 'one' is unknown and is ignored")
      await writeFile(config, JSON.stringify({ mcpServers: { one, two: one } }))
      expect(await mcpwire(call)).toMatchObject({ code: 2, stderr: expect.stringContaining('one, two') })
      expect((await mcpwire([...call, '--server', 'two'])).stdout).toBe('from the file\n')
      expect(await mcpwire([...call, '--server', 'three'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('It lists'),
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('says by its exit code that a tool failed', async () => {
    const { code, stdout } = await mcpwire(['inspect', exported, '--call', 'fail'])
    expect(code).toBe(1)
    expect(stdout).toContain('no luck today')
  })

  it.each([
    [[exported, '--call', 'unknown'], 1, '(error -32602)'],
    [[exported, '--read', 'note://none'], 1, '(error -32602)'],
    [[exported, '--mode', '2019-01-01'], 2, 'Use one of: auto, modern, legacy, 2024-11-05, '],
    [[exported, '--mode', 'handshake'], 2, 'Use one of: auto, modern, legacy, 2024-11-05, '],
    [[exported, 'more'], 2, 'Unexpected argument "more".'],
    [[exported, '--call', 'a', '--read', 'b'], 2, 'exclude each other'],
    [[exported, '--header', 'A: b'], 2, '--header needs a URL target.'],
    [[exported, '--login'], 2, '--login needs a URL target.'],
    [[exported, '--arg', 'x=1'], 2, 'need --call or --prompt.'],
    [[], 2, 'The target is missing.'],
    [['--', 'no-such-program-anywhere'], 3, 'no-such-program-anywhere'],
    [['http://127.0.0.1:1/mcp'], 3, '127.0.0.1:1'],
    [['http://'], 2, 'is not a valid URL.'],
    [['http://x.example', 'more'], 2, 'Unexpected argument "more".'],
    [['--server', 'x'], 2, '--server needs --config.'],
    [['--cal', 'x'], 2, 'Did you mean "--call"'],
  ])('explains what is wrong with %j', async (args, code, message) => {
    const result = await mcpwire(['inspect', ...args])
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) })
    expect(result.stderr).not.toMatch(/^\s+at /m)
  })

  it('gives up on a server that does not answer', async () => {
    const silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const { code, stderr } = await mcpwire([
      'inspect',
      `http://127.0.0.1:${port}/mcp`,
      '--timeout',
      '0.2',
      '--mode',
      'legacy',
    ])
    silent.close()
    expect(code).toBe(5)
    expect(stderr).toMatch(/200 ms|timed out/i)
  })

  it('gives up on a server that only ever reports progress', async () => {
    const { code, stderr } = await mcpwire(['inspect', program('reports.js'), '--call', 'for-ever', '--timeout', '1'])
    expect(code).toBe(5)
    expect(stderr).toContain('1000 ms')
  })

  it('starts a file with the options that this Node was given', async () => {
    const env = { NODE_OPTIONS: `--import ${new URL('../../test/fixtures/cli/import-hook.js', import.meta.url).href}` }
    const { stderr } = await mcpwire(['inspect', exported], { env })
    expect(stderr.split('hook was loaded').length).toBeGreaterThan(2)
  })

  it('says how to log in', async () => {
    const server = createHttpServer((_request, response) => response.writeHead(401).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { stderr } = await mcpwire(['inspect', `http://127.0.0.1:${port}/mcp`])
    server.close()
    expect(stderr).toContain('Use --login')
  })

  it.skipIf(!existsSync('/dev/full'))('says that a result could not be written', async () => {
    const child = spawn('/bin/sh', ['-c', 'exec "$0" "$@" >/dev/full', process.execPath, MAIN, 'inspect', exported], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    expect(await once(child, 'close')).toEqual([1, null])
    expect(stderr).toContain('The result could not be written to stdout')
  })

  it.skipIf(process.platform === 'win32')(
    'F206 ends what would never end by itself, once nobody reads on',
    async () => {
      const words = [process.execPath, MAIN, 'inspect', program('reports.js'), '--call', 'for-ever']
      const child = spawn('/bin/sh', ['-c', '"$0" "$@" 2>&1 | head -n 1', ...words], {
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: MAX_MS,
      })
      child.stdout.resume()
      expect(await once(child, 'close')).toEqual([0, null])
    },
  )

  it('F206 leaves quietly where nobody reads on', async () => {
    const child = startCommand(['inspect', exported])
    child.stdout.destroy()
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const [code, signal] = await once(child, 'close')
    expect({ code, signal }).toEqual({ code: 0, signal: null })
    expect(stderr).not.toMatch(/EPIPE|^\s+at /m)
  })

  it('F206 leaves quietly where nobody reads its errors either', async () => {
    // Its log messages and progress go there.
    const child = startCommand(['inspect', exported, '--call', 'add', '-a', 'a=1', '-a', 'b=2'])
    child.stdout.destroy()
    child.stderr.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

// What goes wrong, and what a command says then: one line of cause, one of remedy, the right exit code, no stack, no child left.

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { serveHttp } from 'mcpwire/node'
import { MCPServer } from 'mcpwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CommandResult, mcpwire, program } from '../../test/support/command-line.ts'
import { createExampleProject } from './example-project.ts'

async function listen(handler: RequestListener): Promise<string> {
  const server = createHttpServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

/** One line of cause, at most one of remedy, and no stack. */
function expectPlain({ stdout, stderr }: CommandResult): string[] {
  expect(stdout).toBe('')
  expect(stderr).not.toMatch(/^\s+at /m)
  const lines = stderr.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^mcpwire: (?:[A-Z"/\d]|http)/)
  expect(lines.filter((line) => !line.startsWith('  ')).length).toBeLessThanOrEqual(2)
  return lines
}

function projectWith(files: Record<string, string>) {
  const project = createExampleProject()
  onTestFinished(() => project[Symbol.dispose]())
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project.folder, name), text)
  return project
}

describe('cli C4: a file', () => {
  it('that does not exist', async () => {
    const result = await mcpwire(['list', 'missing.ts'])
    expect(result.code).toBe(3)
    expect(expectPlain(result)).toEqual([expect.stringContaining('missing.ts does not exist.'), 'Check the path.'])
  })

  it('with a syntax error, by file and line', async () => {
    const { folder, run } = projectWith({ 'broken.js': 'const a = 1\nconst = 2\n' })
    for (const verb of [['list'], ['call'], ['run'], ['run', '--http', '--port', '0']]) {
      const [name = '', ...options] = verb
      const result = await run(name, 'broken.js', ...(name === 'call' ? ['x'] : []), ...options)
      expect(result.code).toBe(3)
      const [first, second, third] = expectPlain(result)
      expect(first).toBe(`mcpwire: ${join(folder, 'broken.js')}:2: SyntaxError: Unexpected token '='`)
      expect([second, third]).toEqual(['  const = 2', 'Correct the file.'])
    }
    const typed = projectWith({ 'broken.ts': 'const a: number = 1\nconst b: = 2\n' })
    const lines = expectPlain(await typed.run('list', 'broken.ts'))
    // The loader of Node, tsx and ours have words of their own.
    expect(lines).toEqual([
      expect.stringMatching(/^mcpwire: \S+broken\.ts:2: SyntaxError: (?:(?!broken\.ts).)+$/),
      '  const b: = 2',
      'Correct the file.',
    ])
  })

  it('that ends or hangs is named by itself, and not by the command that runs it', async () => {
    const { run } = projectWith({ 'ends.js': 'process.exit(7)', 'hangs.js': 'setInterval(() => {}, 1000)' })
    const ended = await run('list', 'ends.js')
    expect(ended.code).toBe(3)
    expect(expectPlain(ended)).toEqual([
      expect.stringMatching(/^mcpwire: \S+ends\.js ended with exit code 7 before it served\.$/),
      expect.stringMatching(/^Run `mcpwire run \S+ends\.js` to see why\./),
    ])
    const hung = await run('list', 'hangs.js', '--connect-timeout', '1')
    expect(hung.code).toBe(5)
    expect(expectPlain(hung)[0]).toMatch(/^mcpwire: Could not connect to \S+hangs\.js: it did not answer within/)
    const installed = await run('install', 'ends.js', '--config', 'mcp.json')
    expect(installed.code).toBe(3)
    expect(installed.stderr).toMatch(
      /^mcpwire: \S+ends\.js ended with exit code 7 before it served\.\nRun `mcpwire run/,
    )
    expect(installed.stderr).toContain('Nothing was written.')
  })

  it('that ends while it serves is named by itself, too', async () => {
    const text = "import { MCPServer } from 'mcpwire'\nexport const server = new MCPServer('x')\n"
    const { folder, run } = projectWith({ 'crash.js': `${text}server.tool('crash', () => process.exit(9))\n` })
    for (const mode of ['legacy', 'modern']) {
      const result = await run('call', 'crash.js', 'crash', '--mode', mode)
      expect(result.code).toBe(3)
      expect(expectPlain(result)).toEqual([
        `mcpwire: ${join(folder, 'crash.js')} ended with exit code 9 while it served.`,
        expect.stringContaining('Run `mcpwire run '),
      ])
    }
  })

  it('whose tool asks, where nobody can answer: no words about options of a program', async () => {
    const text = "import { MCPServer } from 'mcpwire'\nexport const server = new MCPServer('x')\n"
    const form = "{ type: 'object', properties: { sure: { type: 'boolean' } } }"
    const { run } = projectWith({ 'ask.js': `${text}server.tool('ask', (_a, ctx) => ctx.elicit('Sure?', ${form}))\n` })
    const result = await run('call', 'ask.js', 'ask', '--mode', 'modern')
    expect(result.code).toBe(1)
    expect(expectPlain(result)).toEqual([
      "mcpwire: The server asked for input (elicitation.form), and this command can't answer. (error -32021)",
      'Run the command in a terminal, where it can ask you.',
    ])
  })

  it('that throws while it loads, with the stack only for --debug', async () => {
    const { folder, run } = projectWith({ 'throws.js': "\nthrow new TypeError('no database')\n" })
    const result = await run('list', 'throws.js')
    expect(result.code).toBe(3)
    const [first] = expectPlain(result)
    expect(first).toBe(`mcpwire: ${join(folder, 'throws.js')}:2: TypeError: no database`)
    expect((await run('run', 'throws.js', '--debug')).stderr).toMatch(/^\s+at .*throws\.js:2/m)
  })

  it('that needs a package which is not installed', async () => {
    const { run } = projectWith({ 'needs.js': "import 'no-such-package'\n" })
    const result = await run('list', 'needs.js')
    expect(result.code).toBe(3)
    expect(expectPlain(result).at(-1)).toBe('Run npm install no-such-package in the folder of the file.')
  })
})

describe('cli C4: a program', () => {
  const node = (code: string) => ['list', '--connect-timeout', '5', '--', process.execPath, '-e', code]

  it('that does not exist', async () => {
    const result = await mcpwire(['list', '--', 'no-such-program-anywhere'])
    expect(result.code).toBe(3)
    expect(expectPlain(result)[1]).toBe('Check the command, or install it.')
  })

  it('that exits at once', async () => {
    const result = await mcpwire(node("console.error('no config'); process.exit(7)"))
    expect(result.code).toBe(3)
    expect(result.stderr).toContain('[stderr] no config')
    expect(result.stderr).toMatch(/mcpwire: .*exited.*7/)
    expect(result.stderr).not.toMatch(/^\s+at /m)
  })

  it('that hangs', async () => {
    const result = await mcpwire([
      'list',
      '--connect-timeout',
      '0.5',
      '--',
      process.execPath,
      '-e',
      'setInterval(() => {}, 1000)',
    ])
    expect(result.code).toBe(5)
    expect(expectPlain(result)[1]).toBe('Use --connect-timeout to wait longer.')
  })

  it('that prints text and never answers: its output is the cause, whatever the time limit', async () => {
    const hello = "console.log('Listening on port 3000'); setInterval(() => {}, 1000)"
    const words = ['list', '--connect-timeout', '1', '--', process.execPath, '-e', hello]
    const result = await mcpwire(words)
    expect(result.code).toBe(5)
    // The line itself is reported as it comes.
    const [note, ...lines] = result.stderr.trimEnd().split('\n')
    expect(note).toBe('mcpwire: Skipped a line that is not JSON: "Listening on port 3000"')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /did not answer within 1000 ms.*It wrote .* to its standard output: "Listening on port 3000"/,
    )
    expect(lines[1]).toBe('Write logs to stderr, or start the server with mcpwire run, which keeps stdout clean.')
    const json = await mcpwire(['list', '--json', ...words.slice(1)])
    const { error } = JSON.parse(json.stderr.trimEnd().split('\n').at(-1) ?? '')
    expect(error).toMatchObject({
      slug: 'stdout-polluted',
      exitCode: 5,
      help: expect.stringContaining('stdout-polluted'),
    })
  })

  it('that answers, and is no MCP server: the remedy is about the command', async () => {
    const answer = "({ jsonrpc: '2.0', id: JSON.parse(line).id, error: { code: -32000, message: 'Not today' } })"
    const code = `require('readline').createInterface(process.stdin).on('line', (line) => console.log(JSON.stringify${answer}))`
    const result = await mcpwire(node(code))
    expect(result.code).toBe(3)
    expect(expectPlain(result).at(-1)).toBe(
      'Check that the command is an MCP server. Run it by hand to see what it prints.',
    )
  })

  it('that prints garbage', async () => {
    const result = await mcpwire(
      node("for (let i = 0; i < 5; i += 1) console.log('Hello\\u001b[2J'); setInterval(() => {}, 1000)"),
    )
    expect(result.code).toBe(3)
    expect(result.stderr).toContain('Hello\\u001b[2J')
    expect(result.stderr).not.toMatch(/^\s+at /m)
  })
})

describe('cli C4: an address', () => {
  it.each([
    ['that refuses connections', 'http://127.0.0.1:1/mcp', 3, 'Start the server, or check the port.'],
    ['whose host does not exist', 'http://no-such-host.invalid/mcp', 3, 'Check the host name'],
    ['that is no URL', 'http://', 2, 'Check the URL.'],
    ['of another scheme', 'ftp://example.com', 2, 'Use an http or https URL.'],
  ])('%s', async (_what, url, code, fix) => {
    const result = await mcpwire(['list', url])
    expect(result.code).toBe(code)
    expect(expectPlain(result)[1]).toContain(fix)
  })

  it('of a web page', async () => {
    const url = await listen((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<html>Hi</html>'),
    )
    for (const path of ['', '/page']) {
      const result = await mcpwire(['list', `${url}${path}`])
      expect(result.code).toBe(3)
      expect(expectPlain(result)[1]).toMatch(/path/i)
    }
    const page = await mcpwire(['list', `${url}/page`])
    expect(page.stderr).toContain(
      `Could not connect to ${url}/page: a web page answered (HTTP 200), not an MCP server\n`,
    )
    const { stderr } = await mcpwire(['list', `${url}/page`, '--json'])
    expect(JSON.parse(stderr)).toMatchObject({ error: { slug: 'not-an-mcp-server', exitCode: 3 } })
  })

  it('that never answers', async () => {
    const silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as { port: number }
    const result = await mcpwire(['list', `:${port}/mcp`, '--connect-timeout', '0.5'])
    expect(result.code).toBe(5)
    expect(expectPlain(result)[1]).toBe('Use --connect-timeout to wait longer.')
  })

  it('that wants a login, or refuses the token', async () => {
    const url = await listen((_request, response) => response.writeHead(401).end())
    const result = await mcpwire(['list', `${url}/mcp`])
    expect(result.code).toBe(4)
    expect(expectPlain(result)[1]).toContain('--token')
    const shown = await mcpwire(['list', `${url}/mcp`, '--token', 'expired'])
    expect(expectPlain(shown)).toEqual([
      'mcpwire: The server does not accept the token of --token.',
      `Check that it is valid and meant for this server, or run: mcpwire login ${url}/mcp`,
    ])
    const refused = await mcpwire(['call', `${url}/mcp`, 'x', '--token', 'expired', '--json'])
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { slug: 'unauthorized', exitCode: 4 } })
    expect(refused.stderr).not.toContain('expired')
  })

  it.each([
    ['run', '--http'],
    ['dev', '--no-inspector'],
  ])('of a port that is taken: %s', async (verb, option) => {
    await using serving = await serveHttp(new MCPServer('taken'), { port: 0 })
    const { port } = new URL(serving.url)
    const result = await mcpwire([verb, program('exported.js'), option, '--port', port, '--json'])
    expect(result.code).toBe(3)
    const [last = ''] = result.stderr.trimEnd().split('\n').slice(-1)
    const message = expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: the port is in use`)
    expect(JSON.parse(last)).toMatchObject({ error: { slug: 'port-in-use', message, exitCode: 3 } })
  })
})

describe('cli C4: a request', () => {
  it('that takes too long, though progress is reported', async () => {
    const result = await mcpwire(['call', program('reports.js'), 'for-ever', '--timeout', '1', '--quiet'])
    expect(result.code).toBe(5)
    expect(expectPlain(result)).toEqual([expect.stringContaining('1000 ms'), 'Use --timeout to wait longer.'])
  })
})

// The lines that say what to do: in the words of the command line, and about this failure.
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MCPError } from 'mcpwire'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcpwire, program } from '../../test/support/command-line.ts'
import { explain } from '../errors/explain.ts'
import { inOwnWords } from '../errors/own-words.ts'

const server = program('exported.js')

async function answering(type: string, body: string): Promise<string> {
  const web = createServer((_request, response) => {
    response.setHeader('content-type', type)
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(web, 'listening')
  onTestFinished(() => void web.close())
  return `http://127.0.0.1:${(web.address() as { port: number }).port}`
}

describe('what a command says to do', () => {
  it('about a folder that does not exist', async () => {
    expect(await mcpwire(['list', server, '--cwd', '/no/such'])).toMatchObject({
      code: 2,
      stderr: 'mcpwire: The folder /no/such of --cwd does not exist.\nCheck the path.\n',
    })
  })

  it('about other JSON at a URL, in one message', async () => {
    const url = await answering('application/json', '{"hello":"world"}')
    const { code, stderr } = await mcpwire(['list', `${url}/api`])
    expect(code).toBe(3)
    expect(stderr).toMatch(/^mcpwire: Could not connect .*\nCheck the URL\. The path is often \/mcp\.\n$/)
  })

  it.each([
    [['--', 'node server.js'], /not found\. Write its arguments as words of their own\nCheck the command/],
    [['--connect-timeout', '0.2', '--', 'sleep', '60'], /Run it by hand\.\nUse --connect-timeout to wait longer\.\n$/],
    // A word of the command is no sign that the time was too short.
    [['--', 'sleep', '--connect-timeout'], /exited with code 1 before it sent a message\n(?!Use --connect-timeout)/],
  ])('about the command %j, without names of the program interface', async (args, message) => {
    const { code, stderr } = await mcpwire(['list', ...args])
    expect([3, 5]).toContain(code)
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\b[a-z]+(?:Ms|Bytes)\b/)
  })

  it.each([
    [
      'npm error code E404\nnpm error 404 Not Found - GET https://registry.example/x',
      /has none of that name.*\(E404\)\.\nCheck the name/,
    ],
    [
      'npm ERR! code ETARGET\nnpm ERR! notarget No matching version found',
      /there is no such version \(ETARGET\)\.\nCheck the version/,
    ],
    ['npm error code ENOTFOUND', /the registry cannot be reached \(ENOTFOUND\)\.\nCheck the network/],
    ['npm error code E401', /the registry refuses access \(E401\)\.\nRun npm login/],
    [' ERR_PNPM_FETCH_404  GET https://registry.example/x: Not Found - 404', /none of that name.*\(FETCH_404\)/],
    ['npm error code 1\nnpm error command failed', /its lines above say why \(1\)\.\nRun the command by hand/],
  ])('about a package that npx cannot install: %j', async (lines, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-npx-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'lines'), lines)
    writeFileSync(join(folder, 'npx'), `#!/bin/sh\ncat '${join(folder, 'lines')}' >&2\nexit 1\n`)
    chmodSync(join(folder, 'npx'), 0o755)
    const env = { PATH: `${folder}:${process.env['PATH']}` }
    const { code, stderr } = await mcpwire(['list', '--', 'npx', '-y', 'some-server'], { env })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^mcpwire: npx could not install the package: /m)
    expect(stderr).toMatch(message)
    const doctor = await mcpwire(['doctor', '--json', '--', 'npx', '-y', 'some-server'], { env })
    expect(doctor.stdout).toContain('npx could not install the package: ')
  })

  it('about a port that is taken, once', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }
    const { stderr } = await mcpwire(['run', server, '--http', '--port', String(port)])
    expect(stderr).toBe(
      `mcpwire: Cannot listen on 127.0.0.1:${port}: the port is in use\nUse --port 0 for any free port, or end the process that uses this one.\n`,
    )
  })

  it.each([
    ['Enter your password: ', 'stdout-polluted'],
    ['{"jsonrpc":"2.0","id":', 'server-silent'],
  ])('about a program that writes %j without an end of line, and waits', async (text, slug) => {
    const waiting = `process.stdout.write(${JSON.stringify(text)}); process.stdin.resume()`
    const { code, stderr } = await mcpwire([
      ...['list', '--json', '--connect-timeout', '2', '--', process.execPath, '-e', waiting],
    ])
    expect(code).toBe(5)
    expect(JSON.parse(stderr)).toMatchObject({ error: { slug } })
  })

  it('about text with many brackets on stdout: it is no message that is too deep', async () => {
    const coloured = `console.log('\\u001b[1m'.repeat(80)); process.exit(1)`
    const { stderr } = await mcpwire(['list', '--', process.execPath, '-e', coloured])
    expect(stderr).toContain('Skipped a line that is not JSON')
    expect(stderr).not.toContain('nesting')
  })

  it('about a host that does not exist', async () => {
    for (const args of [
      ['install', server, '--to', 'curser'],
      ['servers', '--of', 'curser'],
    ]) {
      const { code, stderr } = await mcpwire(args)
      expect(code).toBe(2)
      expect(stderr).toContain('Unknown host "curser". Did you mean "cursor"?')
    }
  })

  it.each([
    [new MCPError(-32_602, 'No such thing'), 'Check the arguments.'],
    [new MCPError(-32_603, 'Internal error'), 'Read the logs of the server.'],
    [
      new MCPError(-32_000, 'The server was reloaded while this call was running', { reason: 'reloaded' }),
      'Run the command again.',
    ],
  ])('about the error of a server: %s', (error, fix) => {
    expect(explain(error).fix).toBe(fix)
  })

  it.each([
    [404, {}, 'There is no MCP server at URL: HTTP 404; nothing is there', 'Check the URL. The path is often /mcp.'],
    [
      403,
      {},
      'Could not connect to URL: HTTP 403; the server forbids this',
      'Run mcpwire login with the URL, or use --token.',
    ],
    [
      503,
      {},
      'Could not connect to URL: HTTP 503; the server is overloaded or starting',
      'Try again later, or read the logs of the server.',
    ],
    [
      302,
      { location: '/elsewhere?key=secret' },
      'Could not connect to URL: The redirect (HTTP 302) of URL to ORIGIN/elsewhere was not followed: a redirect of this kind would turn a POST into a GET.',
      'Use the final URL.',
    ],
  ])('about HTTP %i, with the URL once and the remedy once', async (status, headers, cause, fix) => {
    const web = createServer((_request, response) => response.writeHead(status, headers).end()).listen(0, '127.0.0.1')
    await once(web, 'listening')
    onTestFinished(() => void web.close())
    const origin = `http://127.0.0.1:${(web.address() as { port: number }).port}`
    const url = `${origin}/api`
    const { code, stderr } = await mcpwire(['list', url])
    expect(code).toBe(status === 403 ? 4 : 3)
    expect(stderr.replaceAll(url, 'URL').replaceAll(origin, 'ORIGIN')).toBe(`mcpwire: ${cause}\n${fix}\n`)
  })

  it('about a port that nothing listens on', async () => {
    const { stderr } = await mcpwire(['list', 'http://127.0.0.1:1/mcp'])
    expect(stderr).toBe(
      'mcpwire: Could not connect to http://127.0.0.1:1/mcp: nothing accepts connections there\nStart the server, or check the port.\n',
    )
  })

  it.each([
    ['it did not answer within 5 ms. Check that the server is running, or raise connectTimeoutMs.', 'running.'],
    ['wrote lines that are longer than the limit, and was ended. Set maxLineBytes to raise the limit', 'was ended'],
    ['PKCE is not listed. Set assumePkce if it supports PKCE all the same', 'mcpwire login --assume-pkce if it'],
  ])('%s', (message, words) => {
    expect(inOwnWords(message)).toContain(words)
    expect(inOwnWords(message)).not.toMatch(/connectTimeoutMs|maxLineBytes|\bassumePkce/)
  })
})

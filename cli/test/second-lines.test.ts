// The lines that say what to do: in the words of the command line, and about this failure.
import { once } from 'node:events'
import { createServer } from 'node:http'
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
    [['--', 'sleep', '--connect-timeout'], /exited with code 1 .* and those of --env\n(?!Use --connect-timeout)/],
  ])('about the command %j, without names of the program interface', async (args, message) => {
    const { code, stderr } = await mcpwire(['list', ...args])
    expect([3, 5]).toContain(code)
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\b[a-z]+(?:Ms|Bytes)\b/)
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
    ['it did not answer within 5 ms. Check that the server is running, or raise connectTimeoutMs.', 'running.'],
    ['wrote lines that are longer than the limit, and was ended. Set maxLineBytes to raise the limit', 'was ended'],
    ['PKCE is not listed. Set assumePkce if it supports PKCE all the same', 'mcpwire login --assume-pkce if it'],
  ])('%s', (message, words) => {
    expect(inOwnWords(message)).toContain(words)
    expect(inOwnWords(message)).not.toMatch(/connectTimeoutMs|maxLineBytes|\bassumePkce/)
  })
})

// A server of the SDK v1 with sessions under Express moves over by one command, and then offers, answers and asks the same.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Client } from 'mcpwire'
import { expect, it, onTestFinished } from 'vitest'
import { comparable } from '../../cli/test/migrate/run-program.ts'
import { mcpwire } from '../support/command-line.ts'
import { freePort } from '../support/free-port.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const require = createRequire(import.meta.url)
const LIMIT_MS = 180_000

async function start(file: string): Promise<{ url: string; end(): Promise<void> }> {
  const port = await freePort()
  const tsx = pathToFileURL(require.resolve('tsx')).href
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(process.execPath, ['--import', tsx, file], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    text += chunk
    if (text.includes('Library on')) break
  }
  expect(text).toContain('Library on')
  const end = async () => {
    if (child.kill('SIGKILL')) await once(child, 'exit')
  }
  return { url: `http://127.0.0.1:${port}`, end }
}

const told = ({ code, message }: { code?: number; message: string }) => ({
  code,
  message: message.replace(/^MCP error -\d+: /, ''),
})

/** docs/migrate.md says what differs: a tool that throws `McpError`, the prefix of messages, titles in the list of a template. */
function asFailure(answer: unknown): unknown {
  const { isError, content } = answer as { isError?: boolean; content?: { text: string }[] }
  const [, code, message] = /^MCP error (-\d+): (.*)$/.exec(content?.[0]?.text ?? '') ?? []
  return isError === true && code !== undefined ? { code: Number(code), message } : answer
}

/** All that the server offers, and what it does when it is called: in an order, since books are lent. */
async function answersOf(file: string): Promise<unknown> {
  const { url, end } = await start(file)
  const questions: unknown[] = []
  const progress: unknown[] = []
  const client = await Client.connect(`${url}/mcp`, {
    mode: 'legacy',
    onElicitation: ({ message, requestedSchema }: { message: string; requestedSchema?: unknown }) => {
      questions.push(message, requestedSchema)
      return { action: 'accept', content: { days: 7 } }
    },
  } as never)
  try {
    return comparable([
      [client.serverInfo?.name, client.serverInfo?.version, client.instructions],
      (await client.listTools()).tools,
      await client.callTool('find_books', { author: 'Joyce', limit: 1 }),
      await client.callTool('lend_book', { id: '2' }),
      await client.callTool('lend_book', { id: '3' }),
      asFailure(await client.callTool('lend_book', { id: '9' }).catch(told)),
      await client.callTool('count_books'),
      await client.callTool('import_books', { count: 3 }, { onProgress: (one) => void progress.push(one) }),
      await client.callTool('cover', { id: '1' }),
      (await client.listResources()).resources.map(({ title: _title, ...resource }) => resource),
      (await client.listResourceTemplates()).resourceTemplates,
      (await client.readResource('books://all')).contents,
      (await client.readResource('books://1')).contents,
      await client.readResource('books://9').catch(told),
      await client.complete({ type: 'ref/resource', uri: 'books://{id}' }, { name: 'id', value: '1' }),
      (await client.listPrompts()).prompts,
      (await client.getPrompt('review', { title: 'Emma' })).messages,
      questions,
      progress,
      await (await fetch(`${url}/health`)).text(),
    ])
  } finally {
    await client.close()
    await end()
  }
}

it('a server with sessions under Express moves over by one command', { timeout: LIMIT_MS }, async () => {
  mkdirSync(join(root, 'build/fixtures'), { recursive: true })
  const folder = mkdtempSync(join(root, 'build/fixtures/moved-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/mcpwire'), 'junction')
  const manifest = { name: 'library', type: 'module', dependencies: { '@modelcontextprotocol/sdk': '1.32.2' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const server = join(folder, 'server.ts')
  copyFileSync(join(root, 'test/fixtures/migrate/library.ts'), server)
  const before = await answersOf(server)

  const { code, stdout, stderr } = await mcpwire(['migrate'], { cwd: folder, env: { HOME: folder } })
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(/(\d+) call sites, \1 rewritten/)
  const text = readFileSync(server, 'utf8')
  expect(text).not.toMatch(/@modelcontextprotocol|mcpwire-migrate:/)
  expect(await answersOf(server)).toEqual(before)
})

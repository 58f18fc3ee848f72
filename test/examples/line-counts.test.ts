// The shortest programs that put servers together: how many lines they have, and that they work. On the built package.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, MCPServer } from 'mcpwire'
import { expect, it, onTestFinished } from 'vitest'
import { startNode } from '../support/child.ts'
import { freePort } from '../support/free-port.ts'

const pathTo = (name: string) => fileURLToPath(new URL(`../fixtures/lines/${name}.js`, import.meta.url))

/** Lines with code, of a whole program or between the braces of its function. */
function linesOf(name: string): number {
  const text = readFileSync(pathTo(name), 'utf8')
  const lines = (/\{\n([\s\S]*)\n\}/.exec(text)?.[1] ?? text).split('\n').filter((line) => line.trim() !== '')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(121)
  return lines.length
}

async function upstream(): Promise<string> {
  const server = new MCPServer('upstream')
  server.tool('hello', () => 'Hello!')
  const serving = await server.run({ transport: 'http', port: 0, announce: false, handleSignals: false } as never)
  onTestFinished(() => (serving as unknown as { close(): Promise<void> }).close())
  return (serving as unknown as { url: string }).url
}

const program = (name: string, env: Record<string, string>) => ({
  command: process.execPath,
  args: [pathTo(name)],
  env,
})

it('compose X102 a proxy of a URL on stdio has 2 lines', async () => {
  expect(linesOf('proxy')).toBe(2)
  await using client = await Client.connect(program('proxy', { TARGET: await upstream() }))
  expect((await client.callTool('hello')).content).toMatchObject([{ text: 'Hello!' }])
})

it('compose X102 a gateway of two servers over HTTP has 3 lines', async () => {
  expect(linesOf('gateway')).toBe(3)
  const port = await freePort()
  const child = startNode([pathTo('gateway')], { TARGET: await upstream(), PORT: String(port) })
  onTestFinished(() => void child.process.kill('SIGKILL'))
  for await (const text of child.process.stderr ?? []) if (String(text).includes('listens on')) break
  await using client = await Client.connect(`http://127.0.0.1:${port}/mcp`)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['one_hello', 'two_hello'])
})

it('compose X102 a server from an OpenAPI document has 3 lines', async () => {
  expect(linesOf('openapi')).toBe(3)
  const asked: (string | undefined)[] = []
  const api = createServer((request, response) => {
    asked.push(request.url, request.headers.authorization)
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-lines-'))
  onTestFinished(() => {
    api.close()
    api.closeAllConnections()
    rmSync(folder, { recursive: true })
  })
  const document = join(folder, 'pets.json')
  writeFileSync(
    document,
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      servers: [{ url: `http://127.0.0.1:${(api.address() as AddressInfo).port}` }],
      paths: { '/pets': { get: { operationId: 'list_pets', security: [{ bearerAuth: [] }] } } },
      components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
    }),
  )
  await using client = await Client.connect(program('openapi', { DOCUMENT: document, TOKEN: 't-1' }))
  expect((await client.callTool('list_pets')).structuredContent).toEqual({ ok: true })
  expect(asked).toEqual(['/pets', 'Bearer t-1'])
})

it('compose X102 a server is mounted in 1 line', async () => {
  expect(linesOf('mount')).toBe(1)
  const { mount } = (await import(pathTo('mount'))) as { mount(main: MCPServer, weather: MCPServer): void }
  const [main, weather] = [new MCPServer('main'), new MCPServer('weather')]
  weather.tool('today', () => 'sunny')
  mount(main, weather)
  expect((await main.listTools()).tools.map(({ name }) => name)).toEqual(['weather_today'])
})

it('compose X102 a search over 500 tools has 1 line', async () => {
  expect(linesOf('search')).toBe(1)
  const { search } = (await import(pathTo('search'))) as { search(server: MCPServer): void }
  const server = new MCPServer('many')
  for (let n = 0; n < 500; n++) server.tool(`tool_${n}`, { description: `Does thing ${n}` }, () => `done ${n}`)
  search(server)
  await using client = await Client.connect(server)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool'])
  expect((await client.callTool('call_tool', { name: 'tool_321' })).content).toMatchObject([{ text: 'done 321' }])
})

// SIGTERM at a node behind a balancer: it goes on serving until the balancer has noticed.
import { afterEach, beforeAll, expect, test } from 'vitest'
import { bundleProgram } from '../support/bundle.ts'
import { type Child, startNode } from '../support/child.ts'
import { modernBody, modernHeaders } from '../support/modern-messages.ts'

/** Takes `drainDelayMs` as its argument; without one the default holds. */
const PROGRAM = `
  import { memory } from './src/backend/memory/memory.ts'
  import { MCPServer } from './src/mcpserver/mcpserver.ts'
  import { serveHttp } from './src/node/http/serve-http.ts'
  const server = new MCPServer('child', { backend: memory() })
  server.tool('hello', {}, () => 'hello')
  const given = process.argv[2] === undefined ? {} : { drainDelayMs: Number(process.argv[2]) }
  const serving = await serveHttp(server, { port: 0, handleSignals: true, drainMs: 60_000, ...given })
  console.log(serving.url)
`

let program = ''
beforeAll(async () => {
  program = await bundleProgram('drain-signals', PROGRAM)
})

const children: Child[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.process.kill('SIGKILL')
})

async function start(...args: string[]) {
  const child = startNode([program, ...args])
  children.push(child)
  await child.printed('\n')
  const [url = ''] = child.output.stdout.split('\n')
  const probe = async (path: string) => {
    const response = await fetch(new URL(path, url))
    return `${response.status} ${await response.text()}`
  }
  return { child: child.process, exited: child.ended, url, probe }
}

test.each([
  ['as long as drainDelayMs says', ['600000']],
  ['for 5 s by default', []],
])(
  'D048: after SIGTERM /ready is 503 at once and the node serves on, %s; a second SIGTERM ends it',
  async (_, args) => {
    const { child, exited, url, probe } = await start(...args)
    expect(await probe('/ready')).toBe('200 ok')
    child.kill('SIGTERM')
    await expect.poll(() => probe('/ready'), { interval: 5, timeout: 10_000 }).toBe('503 draining')
    expect(await probe('/health')).toBe('200 ok')
    const request = { params: { name: 'hello' } }
    const body = JSON.stringify(modernBody(request))
    expect((await fetch(url, { method: 'POST', headers: modernHeaders(request), body })).status).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toEqual([null, 'SIGTERM'])
  },
)

test('D048: without a delay SIGTERM ends it at once, and so does SIGINT with one', async () => {
  const first = await start('0')
  first.child.kill('SIGTERM')
  expect(await first.exited).toEqual([null, 'SIGTERM'])
  const second = await start('600000')
  second.child.kill('SIGINT')
  expect(await second.exited).toEqual([null, 'SIGINT'])
})

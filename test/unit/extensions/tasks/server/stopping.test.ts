// Every way to stop a server ends its runs: they get the time that requests get, and what is left then fails.
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../../../src/node/http/serve-http.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { bundleProgram } from '../../../../support/bundle.ts'
import { startNode } from '../../../../support/child.ts'
import { modernBody } from '../../../../support/modern-messages.ts'

/** Longer than a test may take. */
const LONG_MS = 600_000

function createServer() {
  const server = new MCPServer('works', { extensions: [tasks()] })
  const begun = createDeferred()
  const go = createDeferred()
  const stopped = createDeferred<unknown>()
  server.tool('work', { task: { mode: 'always', pollIntervalMs: 100 } }, async (_args, ctx) => {
    ctx.signal.addEventListener('abort', () => stopped.resolve(ctx.signal.reason))
    begun.resolve()
    await Promise.race([go.promise, stopped.promise])
    return 'done'
  })
  const followed = createDeferred()
  let isSubscribed = false
  server.use((ctx, next) => {
    if (ctx.method === 'subscriptions/listen') isSubscribed = true
    else if (ctx.method === 'tasks/get' && isSubscribed) followed.resolve()
    return next()
  })
  return { server, begun: begun.promise, followed: followed.promise, finish: go.resolve, stopped: stopped.promise }
}

async function callOverHttp(url: string) {
  const client = await Client.connect(url, { extensions: [tasks({ watch: true })] })
  await client.listTools()
  return { client, call: client.callTool('work').catch((error: unknown) => error) }
}

it('serving.close() lets a run end within the time to drain, and its client gets the result', async () => {
  const { server, followed, finish } = createServer()
  const serving = await serveHttp(server, { port: 0, drainMs: LONG_MS })
  const { client, call } = await callOverHttp(serving.url)
  await followed
  const closing = serving.close()
  finish()
  expect(await call).toMatchObject({ content: [{ text: 'done' }] })
  await closing
  await client.close()
})

it('serving.close() fails a run that takes longer, and its client hears so before the stream ends', async () => {
  const { server, followed, stopped } = createServer()
  const serving = await serveHttp(server, { port: 0, drainMs: 20 })
  const { client, call } = await callOverHttp(serving.url)
  await followed
  await serving.close()
  expect(await stopped).toMatchObject({ message: 'The server stops' })
  expect(await call).toMatchObject({ code: -32603, message: 'The server was stopped before the task had ended.' })
  await client.close()
})

it('a second close shortens the time of the runs', async () => {
  const { server, followed, stopped } = createServer()
  const serving = await serveHttp(server, { port: 0, drainMs: LONG_MS })
  const { client, call } = await callOverHttp(serving.url)
  await followed
  const closing = serving.close()
  await serving.close({ drainMs: 0 })
  await closing
  expect(await stopped).toMatchObject({ message: 'The server stops' })
  await client.close()
  await call
})

it('runs go on while something else keeps the server running', async () => {
  const { server, begun, finish } = createServer()
  await using here = await Client.connect(server, { extensions: [tasks()] })
  const serving = await serveHttp(server, { port: 0 })
  const call = here.callTool('work')
  await begun
  await serving.close({ drainMs: 0 })
  finish()
  expect((await call).content).toMatchObject([{ text: 'done' }])
})

it('a server that stops takes no new tasks, also where nothing runs yet', async () => {
  const server = new MCPServer('works', { extensions: [tasks()] })
  const run = vi.fn(() => 'done')
  const arrived = createDeferred()
  const go = createDeferred()
  server.tool('work', { task: 'always' }, run)
  server.use(async (ctx, next) => {
    if (ctx.method === 'tools/call') {
      arrived.resolve()
      await go.promise
    }
    return next()
  })
  const serving = await serveHttp(server, { port: 0, drainMs: LONG_MS })
  const client = await Client.connect(serving.url, { extensions: [tasks()] })
  const call = client.callTool('work').catch((error: unknown) => error)
  await arrived.promise
  const closing = serving.close()
  go.resolve()
  expect(await call).toMatchObject({ code: -32603, message: 'The server is stopping and takes no new tasks.' })
  await closing
  await client.close()
  expect(run).not.toHaveBeenCalled()
})

it('a server that goes on because somebody came while it stopped takes tasks again', async () => {
  const { server, finish } = createServer()
  finish()
  const serving = await serveHttp(server, { port: 0, drainMs: 20 })
  const closing = serving.close()
  await using here = await Client.connect(server, { extensions: [tasks()] })
  await closing
  expect((await here.callTool('work')).content).toMatchObject([{ text: 'done' }])
})

it('a server that somebody keeps running takes tasks again after server.close()', async () => {
  const { server, finish } = createServer()
  finish()
  await using _lease = await server.start()
  await server.close()
  await using here = await Client.connect(server, { extensions: [tasks()] })
  expect((await here.callTool('work')).content).toMatchObject([{ text: 'done' }])
})

const PROGRAM = `
  import { tasks } from './src/extensions/tasks/tasks.ts'
  import { MCPServer } from './src/mcpserver/mcpserver.ts'
  import { serveStdio } from './src/node/stdio/stdio-server.ts'
  const server = new MCPServer('child', { extensions: [tasks()] })
  server.tool('work', { task: 'always' }, async (_args, ctx) => {
    console.error('begun')
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, Number(process.argv[2]))
      ctx.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    console.error(ctx.signal.aborted ? 'stopped' : 'finished')
    return 'done'
  })
  server.tool('deaf', { task: 'always' }, () => {
    console.error('begun')
    setInterval(() => {}, 1_000)
    return new Promise(() => {})
  })
  await serveStdio(server, { drainMs: Number(process.argv[3]) })
  console.error('over')
  process.exit()
`

describe('a server on stdio', () => {
  let program = ''
  beforeAll(async () => {
    program = await bundleProgram('stopping-tasks', PROGRAM)
  })

  /** The program, with a task of this tool under way. */
  async function startTask(name: string, ms: number, drainMs: number) {
    const child = startNode([program, String(ms), String(drainMs)])
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
    child.process.stdin.write(`${JSON.stringify(modernBody({ params: { name }, meta }))}\n`)
    await child.printed('begun', 'stderr')
    return child
  }

  it.each([
    ['SIGTERM', 50, LONG_MS, 'finished'],
    ['SIGTERM', LONG_MS, 20, 'stopped'],
    ['the end of stdin', 50, LONG_MS, 'finished'],
    ['the end of stdin', LONG_MS, 20, 'stopped'],
  ] as const)('at %s, a run of %i ms with %i ms to drain is %s', async (how, ms, drainMs, end) => {
    const child = await startTask('work', ms, drainMs)
    if (how === 'SIGTERM') child.process.kill('SIGTERM')
    else child.process.stdin.end()
    await child.ended
    expect(child.output.stderr).toContain(end)
  })

  it('a run that hears no signal and never ends does not keep serveStdio() from returning', async () => {
    const child = await startTask('deaf', LONG_MS, 20)
    child.process.stdin.end()
    expect(await child.ended).toEqual([0, null])
    expect(child.output.stderr).toContain('over')
  })
})

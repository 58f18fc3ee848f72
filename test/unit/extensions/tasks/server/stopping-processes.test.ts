// A process that a signal stops: every task in it has an end, and its clients hear of it.
import { beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { stdio } from '../../../../../src/node/stdio/stdio-client.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import type { TaskState } from '../../../../../src/types/extensions/tasks.ts'
import { BareTasks, WITH_TASKS } from '../../../../interaction/kit/support-tasks.ts'
import { bundleProgram } from '../../../../support/bundle.ts'
import { startNode } from '../../../../support/child.ts'

/** Longer than a test may take. */
const LONG_MS = 600_000

const PROGRAM = `
  import { Client } from './src/client/client.ts'
  import { tasks } from './src/extensions/tasks/tasks.ts'
  import { MCPServer } from './src/mcpserver/mcpserver.ts'
  import { serveHttp } from './src/node/http/serve-http.ts'
  import { serveStdio } from './src/node/stdio/stdio-server.ts'
  process.once('SIGTERM', () => console.error('signalled'))
  const [, , transport, ms, drain] = process.argv
  const drainMs = Number(drain)
  const server = new MCPServer('child', { extensions: [tasks()] })
  const work = async (_args, ctx) => {
    console.error('begun')
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, Number(ms))
      ctx.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    console.error(ctx.signal.aborted ? 'stopped' : 'finished')
    return 'done'
  }
  const task = { mode: 'always', pollIntervalMs: 100 }
  server.tool('work', { task }, work)
  server.tool('read', { task, annotations: { readOnlyHint: true } }, work)
  const form = { type: 'object', properties: {} }
  server.tool('ask', { task }, async (_args, ctx) => (await ctx.elicit('Sure?', form)).action)
  let isSubscribed = false
  server.use((ctx, next) => {
    if (ctx.method === 'subscriptions/listen') isSubscribed = true
    else if (ctx.method === 'tasks/get' && isSubscribed) console.error('followed')
    return next()
  })
  server.tool('pid', () => String(process.pid))
  if (transport === 'stdio') await serveStdio(server, { drainMs })
  else {
    const options = { port: 0, drainMs, handleSignals: true }
    const { url } = await serveHttp(server, options)
    if (transport === 'two') {
      // Has nothing to wait for, so that it is closed first.
      const other = new MCPServer('other')
      await serveHttp(other, options)
    }
    if (transport === 'beside') {
      const client = await Client.connect(server, { extensions: [tasks()] })
      client.callTool('work').catch(() => {})
    }
    console.error('listens ' + url + ' ')
  }
`
/** What a child has written to stderr. */
class Heard {
  text = ''
  readonly #waiting = new Set<() => void>()

  add(piece: string): void {
    this.text += piece
    for (const look of this.#waiting) look()
  }

  /** The first group of the pattern, once it is there. */
  says(pattern: RegExp): Promise<string> {
    return new Promise((resolve) => {
      const look = () => {
        const found = pattern.exec(this.text)
        if (found !== null) resolve(found[1] ?? '')
      }
      this.#waiting.add(look)
      look()
    })
  }
}

describe('a process that is stopped', () => {
  let program = ''
  beforeAll(async () => {
    program = await bundleProgram('stopping-processes', PROGRAM)
  })

  /** The program, and what it writes to stderr. */
  function start(transport: string, ms: number, drainMs: number) {
    const { process: child, ended } = startNode([program, transport, String(ms), String(drainMs)])
    const heard = new Heard()
    child.stderr.on('data', (piece) => heard.add(String(piece)))
    return { child, ended, says: (pattern: RegExp) => heard.says(pattern), said: () => heard.text }
  }

  /** Calls that have become tasks: one that may be repeated, one that may not, and one that waits for an answer. */
  async function callAll(client: Client, says: (pattern: RegExp) => Promise<string>, asked: Promise<void>) {
    const outcome = (name: string) =>
      client.callTool(name).then(
        ({ content }) => content,
        (error: unknown) => error,
      )
    const ends = Promise.all(['work', 'read', 'ask'].map(outcome))
    await says(/begun[\s\S]*begun/)
    await asked
    return { ends }
  }

  function clientOptions() {
    const asked = createDeferred()
    const onElicitation = async () => {
      asked.resolve()
      return new Promise<never>(() => {})
    }
    return { asked: asked.promise, options: { extensions: [tasks({ watch: true })], onElicitation } }
  }

  it.each([
    [1, 20],
    [2, LONG_MS],
  ])(
    'over HTTP a client hears the end of every task after %i SIGTERM with %i ms to drain',
    async (signals, drainMs) => {
      const { child, ended, says } = start('http', LONG_MS, drainMs)
      const client = await Client.connect(await says(/listens (\S+) /), WITH_TASKS)
      const bare = new BareTasks(client)
      const started = await Promise.all(['work', 'read', 'ask'].map((name) => bare.start(name)))
      const taskIds = started.map(({ taskId }) => taskId)
      await says(/begun[\s\S]*begun/)
      await bare.until(taskIds[2] as string, 'input_required')
      const subscription = await client.listen({ taskIds } as never)
      for (let sent = 0; sent < signals; sent += 1) {
        child.kill('SIGTERM')
        await says(/signalled/)
      }
      const errors = new Map<string, unknown>()
      for await (const event of subscription as AsyncIterable<unknown>) {
        const { taskId, status, error } = (event as { params: TaskState }).params
        if (status === 'failed') errors.set(taskId, error)
        if (errors.size === taskIds.length) break
      }
      const stopped = { code: -32603, message: 'The server was stopped before the task had ended.' }
      expect(taskIds.map((id) => errors.get(id))).toEqual([stopped, stopped, stopped])
      expect(await ended).toEqual([null, 'SIGTERM'])
      await client.close()
    },
  )

  it.each([1, 2])('over stdio every call has a definite end after %i SIGTERM', async (signals) => {
    const { asked, options } = clientOptions()
    const heard = new Heard()
    const args = [program, 'stdio', String(LONG_MS), signals === 1 ? '20' : String(LONG_MS)]
    const stderr = (line: string) => heard.add(`${line}\n`)
    const client = await Client.connect(stdio({ command: process.execPath, args, stderr }), options)
    const [pid] = (await client.callTool('pid')).content as { text: string }[]
    const says = (pattern: RegExp) => heard.says(pattern)
    const { ends } = await callAll(client, says, asked)
    for (let sent = 0; sent < signals; sent += 1) {
      process.kill(Number(pid?.text), 'SIGTERM')
      await says(/signalled/)
    }
    for (const end of await ends) expect(end).toBeInstanceOf(Error)
    await client.close()
  })

  it('the end of one listener does not cut off what runs behind another one', async () => {
    const { child, ended, says, said } = start('two', 1_000, LONG_MS)
    const { options } = clientOptions()
    const client = await Client.connect(await says(/listens (\S+) /), options)
    await client.listTools()
    const call = client.callTool('work')
    await says(/begun[\s\S]*followed/)
    child.kill('SIGTERM')
    expect((await call).content).toMatchObject([{ text: 'done' }])
    expect(await ended).toEqual([null, 'SIGTERM'])
    expect(said()).toContain('finished')
    await client.close()
  })

  it('at a signal a run ends in good order also beside a client in the same process', async () => {
    const { child, ended, says, said } = start('beside', LONG_MS, 20)
    await says(/(begun)/)
    await says(/listens (\S+) /)
    child.kill('SIGTERM')
    expect(await ended).toEqual([null, 'SIGTERM'])
    expect(said()).toContain('stopped')
  })
})

// mcpwire worker: a process that only runs tasks, beside one that only serves, on one backend.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeEngine, useEngine } from '../../test/engines/describe-engine.ts'
import { startNats } from '../../test/engines/nats.ts'
import { startRedis } from '../../test/engines/redis.ts'
import { type Child, watchChild } from '../../test/support/child.ts'
import { MAX_MS, mcpwire, program, startCommand } from '../../test/support/command-line.ts'

/** Starts a worker, which ends with the test. */
async function startWorker(args: readonly string[], env: Record<string, string>): Promise<Child> {
  const child = watchChild(startCommand(['worker', ...args], { env }) as Child['process'])
  onTestFinished(async () => {
    child.process.kill('SIGKILL')
    await child.ended
  })
  await child.printed('Working on tasks', 'stderr')
  return child
}

/** A client of the same server in this process, which runs nothing itself. */
async function connect(env: Record<string, string>): Promise<Client> {
  Object.assign(process.env, env)
  const { createServer } = (await import(program('works.js'))) as {
    createServer: (name: string) => Parameters<typeof Client.connect>[0] & { close(): Promise<void> }
  }
  const server = createServer('here')
  const client = await Client.connect(server, { extensions: [tasks()] })
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return client
}

const textOf = (result: object) => (result as { content: { text: string }[] }).content[0]?.text

function testWorkers(backend: () => Record<string, string>): void {
  it(
    'runs the tasks of a server that only serves, as many at once as --workers says',
    async () => {
      const env = backend()
      await startWorker([program('works.js'), '--workers', '2'], { ...env, NODE_NAME: 'worker' })
      const client = await connect(env)
      const results = await Promise.all([1, 2, 3].map(() => client.callTool('where')))
      expect(results.map(textOf)).toEqual(['worker', 'worker', 'worker'])
    },
    MAX_MS,
  )

  it(
    'at SIGTERM gives back what may be repeated, and another worker goes on',
    async () => {
      const env = backend()
      const first = await startWorker([program('works.js')], { ...env, NODE_NAME: 'first', IS_STUCK: '1' })
      const client = await connect(env)
      const result = client.callTool('read')
      await first.printed('begun by first', 'stderr')
      await startWorker([program('works.js')], { ...env, NODE_NAME: 'second' })
      first.process.kill('SIGTERM')
      expect(await first.ended).toEqual([0, null])
      expect(textOf(await result)).toBe('read by second')
    },
    MAX_MS,
  )

  it(
    'leaves tasks of other tools than those of --only to other workers',
    async () => {
      const env = backend()
      await startWorker([program('works.js'), '--only', 'read'], { ...env, NODE_NAME: 'reader' })
      const client = await connect(env)
      const where = client.callTool('where')
      expect(textOf(await client.callTool('read'))).toBe('read by reader')
      await startWorker([program('works.js'), '--only', 'where', '--only', 'read'], { ...env, NODE_NAME: 'other' })
      expect(textOf(await where)).toBe('other')
    },
    MAX_MS,
  )

  it(
    'works on the tasks of a program that runs its server itself',
    async () => {
      const env = backend()
      await startWorker([program('works.js')], { ...env, NODE_NAME: 'itself', RUNS_ITSELF: '1' })
      const client = await connect(env)
      expect(textOf(await client.callTool('where'))).toBe('itself')
    },
    MAX_MS,
  )
}

describe('mcpwire worker on SQLite', () => {
  testWorkers(() => {
    const folder = mkdtempSync(join(tmpdir(), 'worker-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return { STATE: join(folder, 'state.db') }
  })
})

describeEngine('Redis', 'mcpwire worker on Redis', () => {
  const engine = useEngine(() => startRedis())
  let last = 0
  testWorkers(() => {
    last += 1
    return { STATE: engine().url, NAMESPACE: `worker-${last}` }
  })
})

describeEngine('NATS', 'mcpwire worker on NATS', () => {
  const engine = useEngine(() => startNats())
  let last = 0
  testWorkers(() => {
    last += 1
    return { STATE: engine().url, NAMESPACE: `worker-${last}` }
  })
})

describe('mcpwire worker', () => {
  it.each([
    ['exported.js', 'The server has no tasks to work on.'],
    ['tasks-without-backend.js', 'The server has no backend, so that no task of another process can be found.'],
  ])('says why it cannot work on %s', async (file, message) => {
    const { code, stderr } = await mcpwire(['worker', program(file)])
    expect(code).toBe(3)
    expect(stderr).toContain(message)
  })

  it('refuses a tool that the server does not have', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'worker-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const env = { STATE: join(folder, 'state.db'), NODE_NAME: 'x' }
    expect(await mcpwire(['worker', program('works.js'), '--only', 'whre'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The server has no tool "whre". Its tools are: where, read.'),
    })
  })

  it('refuses a number of workers that is none', async () => {
    const { code, stderr } = await mcpwire(['worker', program('works.js'), '--workers', '0'])
    expect(code).toBe(2)
    expect(stderr).toContain('Use a whole number from 1 to 10000.')
  })
})

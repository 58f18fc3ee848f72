// All nodes are replaced one after the other by those of another release, while clients of both eras call, stream, listen and start
// tasks: none of them notices, and each release reads what the other stores.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/client/client-options.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { isFull } from '../engines/full.ts'
import { startRedis } from '../engines/redis.ts'
import { BareTasks, WITH_TASKS } from '../interaction/kit/support-tasks.ts'
import { type Balancer, endNodes, type NodeProcess, startBalancer, startNodes } from './processes.ts'
import { type Release, readMark } from './two-releases.ts'

const PROGRAM = `
import { tasks } from './src/extensions/tasks/tasks.ts'
import { MCPServer } from './src/mcpserver/mcpserver.ts'
import { serveHttp } from './src/node/http/serve-http.ts'
import { redis } from './src/redis/redis.ts'
import { asRelease } from '${fileURLToPath(new URL('two-releases.ts', import.meta.url))}'

const say = (text) => console.log(text)
const onFault = ({ kind, message }) => kind === 'invalid-message' && say('fault: ' + message)
const backend = asRelease(redis(process.env.BACKEND_URL), process.env.RELEASE, say)
const server = new MCPServer('rolling', { backend, extensions: [tasks({ workers: 1 })], onFault })
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
server.tool('where', () => String(process.pid))
server.tool('slow', async () => {
  await pause(200)
  return 'slow'
})
server.tool('count', async (_, ctx) => String(await ctx.session.shared.update('n', (n) => (typeof n === 'number' ? n + 1 : 1))))
server.tool('steps', async (_, ctx) => {
  for (let i = 1; i <= 5; i += 1) {
    await ctx.reportProgress(i, 5)
    await pause(20)
  }
  return 'five'
})
server.tool('ask', async (_, ctx) => {
  const { content } = await ctx.session.elicitForm('Name?', { type: 'object', properties: { name: { type: 'string' } } })
  return String(content?.name)
})
server.tool('work', { task: { mode: 'always', attempts: 5 } }, async () => {
  await pause(50)
  return 'worked'
})
for (const name of ['probe', 'one', 'two', 'three', 'last']) {
  server.resource('note://' + name, () => 'a note')
  server.tool('touch-' + name, () => server.notifyResourceUpdated('note://' + name).then(() => 'done'))
}
const { url } = await serveHttp(server, { port: 0, handleSignals: true, drainDelayMs: 1_000, drainMs: 30_000 })
console.log('listening ' + new URL(url).port)
`

const PROBE = 'note://probe'
const LAST = 'note://last'
const WATCHED = ['note://one', 'note://two', 'note://three']
/** The tree of an older release, whose code the older nodes then run. */
const OLDER_TREE = process.env['OLDER_RELEASE']
/** What each release reads of the other. */
const PARTS = ['a session', 'a message', 'a change', 'a task']

interface Load {
  readonly failures: unknown[]
  calls: number
  isOver: boolean
}

/** Calls one after the other, until the load is over. */
async function callOn(load: Load, call: (nth: number) => Promise<void>): Promise<void> {
  for (let nth = 1; !load.isOver; nth += 1) {
    try {
      await call(nth)
      load.calls += 1
    } catch (error) {
      load.failures.push(error)
    }
  }
}

async function textFrom(client: Client, tool: string, args = {}, options = {}): Promise<string> {
  const { content } = await client.callTool(tool, args, options)
  return (content[0] as { text: string }).text
}

function touch(client: Client, uri: string): Promise<string> {
  return textFrom(client, `touch-${uri.slice('note://'.length)}`)
}

/** The text of a task that some node has run. */
async function workOf(tasks: BareTasks): Promise<unknown> {
  const { taskId } = await tasks.start('work')
  for (;;) {
    const state = await tasks.get(taskId)
    if (state.status !== 'working')
      return (state as { result?: { content: { text: string }[] } }).result?.content[0]?.text
  }
}

describeEngine('Redis', 'three processes that are restarted one after the other', () => {
  const engine = useEngine(() => startRedis({ appendOnly: true }))
  let nodes: NodeProcess[] = []
  let balancer: Balancer
  /** Everything that nodes of each release have printed. */
  const printed: Record<Release, (() => string)[]> = { older: [], newer: [] }

  async function startAs(release: Release, size: number): Promise<NodeProcess[]> {
    const env = { BACKEND_URL: engine().url, RELEASE: release }
    const tree = release === 'older' ? OLDER_TREE : undefined
    const started = await startNodes(`rolling-restart-${release}`, PROGRAM, size, env, tree)
    printed[release].push(
      ...started.map(
        ({ child }) =>
          () =>
            child.output.stdout,
      ),
    )
    return started
  }

  beforeAll(async () => {
    nodes = await startAs('older', 3)
    balancer = await startBalancer(nodes)
  })
  afterAll(async () => {
    await endNodes(nodes)
    await balancer.close()
  })

  /** As an orchestrator does: SIGTERM in the middle of requests; out of the balancer once `/ready` says so; a new one in its place. */
  async function replace(index: number, release: Release): Promise<number> {
    const { child, port } = nodes[index]!
    while (balancer.unanswered[index] === 0) await nextTurn()
    const inFlight = balancer.unanswered[index] ?? 0
    child.process.kill('SIGTERM')
    await expect.poll(() => statusOf(port), { timeout: 30_000, interval: 20 }).not.toBe(200)
    balancer.leftOut.add(index)
    await child.ended
    const [after] = await startAs(release, 1)
    nodes[index] = after!
    balancer.leftOut.delete(index)
    return inFlight
  }

  function statusOf(port: number): Promise<number | 'refused'> {
    return fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ status }) => status,
      () => 'refused',
    )
  }

  /** What no node of a release has read yet of the other one. */
  function unread(): string[] {
    return (['older', 'newer'] as const).flatMap((release) => {
      const marks = PARTS.map((part) => readMark(part, release === 'older' ? 'newer' : 'older'))
      return marks.filter((mark) => !printed[release].some((text) => text().includes(mark)))
    })
  }

  function connect(mode: 'legacy' | 'modern', options: ClientOptions = {}): Promise<Client> {
    return Client.connect(streamableHttp(balancer.url), { mode, ...options })
  }

  test(`D047 (redis): rolling restart under load in both eras, old and new release together${isFull ? ', and back' : ''}: no call fails, none is done twice, one node has the stream, and each release reads the other`, async () => {
    const load: Load = { failures: [], calls: 0, isOver: false }
    onTestFinished(() => {
      load.isOver = true
    })
    await using legacy = await connect('legacy')
    await using modern = await connect('modern')
    const onElicitation = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
    await using asked = await connect('legacy', { onElicitation })
    await using withTasks = await connect('modern', WITH_TASKS)
    const tasks = new BareTasks(withTasks)
    const loops = [
      callOn(load, async (nth) => expect(await textFrom(legacy, 'count')).toBe(String(nth))),
      callOn(load, async () => void (await textFrom(modern, 'where'))),
      callOn(load, async () => expect(await textFrom(asked, 'ask')).toBe('Ada')),
      callOn(load, async () => {
        // A session that begins on one node, and is used on the others.
        await using another = await connect('legacy')
        for (const count of ['1', '2', '3']) expect(await textFrom(another, 'count')).toBe(count)
      }),
      // More than there are workers, so that tasks are run by another node than the one that has stored them.
      ...[1, 2, 3, 4, 5].map(() => callOn(load, async () => expect(await workOf(tasks)).toBe('worked'))),
      ...[legacy, modern].map((client) => callOn(load, async () => void (await textFrom(client, 'slow')))),
      ...[legacy, modern].map((client) => callOn(load, async () => void (await touch(client, PROBE)))),
      ...[legacy, modern].map((client) =>
        callOn(load, async () => {
          const steps: number[] = []
          const onProgress = ({ progress }: { progress: number }) => void steps.push(progress)
          expect(await textFrom(client, 'steps', {}, { onProgress })).toBe('five')
          expect(steps).toEqual([1, 2, 3, 4, 5])
        }),
      ),
    ]
    const heard = await Promise.all([hear(legacy), hear(modern)])
    const inFlight: number[] = []
    const steps: readonly Release[] = isFull ? ['newer', 'older'] : ['newer']
    for (const release of steps) {
      for (const index of [0, 1, 2]) {
        inFlight.push(await replace(index, release))
        if (index === 2) continue
        // Both releases serve until each has read everything of the other.
        await everyNodeServes(10)
        await expect.poll(unread, { timeout: 60_000 }).toEqual([])
      }
    }
    await everyNodeServes(1)
    load.isOver = true
    await Promise.all(loops)
    expect(load.failures).toEqual([])
    expect(Math.min(...inFlight)).toBeGreaterThan(0)
    expect(load.calls).toBeGreaterThan(20)
    for (const [index, client] of [legacy, modern].entries()) {
      const ours = heard[index]!
      // Both listen again, wherever their streams were.
      await expect.poll(() => touch(client, PROBE).then(() => ours.includes(PROBE)), { timeout: 30_000 }).toBe(true)
      const subscription = await client.listen({ resourceSubscriptions: [...WATCHED, LAST] })
      for (const uri of [...WATCHED, LAST]) await touch(client, uri)
      const uris: string[] = []
      // Changes of different nodes have no order.
      for await (const event of subscription) {
        if (event.type === 'resourceUpdated' && event.uri !== PROBE) uris.push(event.uri)
        if (new Set(uris).size > WATCHED.length) break
      }
      expect(uris.toSorted()).toEqual([...WATCHED, LAST].toSorted())
    }
    const faults = [...printed.older, ...printed.newer].flatMap((text) => text().match(/^fault: .*$/gm) ?? [])
    expect(faults).toEqual([])
  }, 180_000)

  /** Until each node has answered so many requests more. */
  async function everyNodeServes(requests: number): Promise<void> {
    const before = balancer.served.slice()
    await expect
      .poll(() => balancer.served.every((count, index) => count >= before[index]! + requests), { timeout: 30_000 })
      .toBe(true)
  }

  /** The uris of the changes of the probe that a client hears of. */
  async function hear(client: Client): Promise<string[]> {
    const heard: string[] = []
    const subscription = await client.listen({ resourceSubscriptions: [PROBE] })
    void (async () => {
      for await (const event of subscription)
        if (event.type === 'resourceUpdated' && !event.isPresumed) heard.push(event.uri)
    })()
    return heard
  }
})

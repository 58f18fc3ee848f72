// How long a task waits whose worker was killed, with nothing else to do and behind a long queue.
import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '../../src/client/client.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { redis } from '../../src/redis/redis.ts'
import { BareTasks, WITH_TASKS } from '../../test/interaction/kit/support-tasks.ts'
import { goal } from '../measure.ts'

const LEASE_MS = 5_000
const BACKLOGS = [0, 1_000]

function createServer(url: string, namespace: string, workers: number): MCPServer {
  const backend = redis(url, { namespace })
  const server = new MCPServer('recovery', { backend, extensions: [tasks({ workers })] })
  const task = { mode: 'always', attempts: 5, leaseMs: LEASE_MS, ttlMs: 3_600_000 } as const
  server.tool('lost', { task }, async (_, ctx) => {
    process.send?.(ctx.task?.attempt ?? 0)
    if (ctx.task?.attempt === 1) await delay(600_000, undefined, { signal: ctx.signal })
    return 'found'
  })
  // So many of them take longer than a lease.
  server.tool('waiting', { task }, () => delay(50).then(() => 'done'))
  return server
}

/** A process that works, and tells each run of the task that gets lost. */
export async function work(): Promise<void> {
  const server = createServer(process.env['BACKEND_URL'] ?? '', process.env['NAMESPACE'] ?? '', 2)
  await Client.connect(server)
  process.send?.('ready')
}

class Worker {
  readonly #child: ChildProcess
  readonly #told: unknown[] = []

  constructor(program: string, env: Record<string, string>) {
    this.#child = fork(program, ['worker'], { env: { ...process.env, ...env } })
    this.#child.on('message', (message) => void this.#told.push(message))
  }

  async told(message: unknown): Promise<void> {
    while (!this.#told.includes(message)) await delay(5)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

export async function measureRecovery(program: string, url: string): Promise<void> {
  console.log(`\nA task whose worker was killed, with a lease of ${LEASE_MS / 1_000} s`)
  for (const backlog of BACKLOGS) {
    const namespace = `recovery-${backlog}`
    const server = createServer(url, namespace, 0)
    const client = await Client.connect(server, WITH_TASKS)
    const bare = new BareTasks(client)
    const env = { BACKEND_URL: url, NAMESPACE: namespace }
    const lost = new Worker(program, env)
    await lost.told('ready')
    await bare.start('lost')
    await lost.told(1)
    const next = new Worker(program, env)
    await next.told('ready')
    for (let nth = 0; nth < backlog; nth += 1) await bare.start('waiting')
    lost.kill()
    const killedAt = performance.now()
    await next.told(2)
    const leases = (performance.now() - killedAt) / LEASE_MS
    next.kill()
    await client.close()
    await server.close()
    goal(`leases until it runs again, ${backlog} others waiting`, leases, 1.5)
  }
}

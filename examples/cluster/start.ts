// Three nodes behind a balancer, on Redis where it is installed and on SQLite otherwise. One node is killed, then another one, and
// the client gets all its answers. Run it with: npx tsx examples/cluster/start.ts (and the word sqlite to try that).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { startBalancer } from './balancer.ts'

const CALLS = 30
const folder = mkdtempSync(join(tmpdir(), 'mcpwire-cluster-'))
const children: ChildProcess[] = []

try {
  const engine = await startEngine()
  console.log(`The nodes share ${engine.name}.`)
  const nodes = await Promise.all([1, 2, 3].map((name) => startNode(name, engine.env)))
  const balancer = await startBalancer(nodes.map(({ url }) => url))
  console.log(`Three nodes behind ${balancer.url}, in turn.\n`)
  try {
    await callInOneSession(balancer.url, nodes)
    await countWhileANodeIsLost(balancer.url, nodes)
  } finally {
    await balancer.close()
  }
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

interface Node {
  readonly name: number
  readonly url: URL
  readonly child: ChildProcess
}

/** A session of the legacy protocol: each of its requests goes to another node, and one of the nodes dies on the way. */
async function callInOneSession(url: string, nodes: readonly Node[]): Promise<void> {
  await using client = await Client.connect(url, { mode: 'legacy' })
  const served: string[] = []
  for (let call = 1; call <= CALLS; call++) {
    if (call === CALLS / 2) await kill(nodes[1])
    const { content } = await client.callTool('where')
    if (content[0]?.type === 'text') served.push(content[0].text)
  }
  const byNode = nodes.map(({ name }) => `node ${name}: ${served.filter((text) => text === `node ${name}`).length}`)
  console.log(`${served.length} of ${CALLS} calls of one session were answered (${byNode.join(', ')}).\n`)
}

/** A long call: the node that works on it is killed, and another one goes on. */
async function countWhileANodeIsLost(url: string, nodes: readonly Node[]): Promise<void> {
  await using client = await Client.connect(url, { extensions: [tasks()] })
  let killed: Promise<void> | undefined
  const { content } = await client.callTool(
    'count',
    { to: 5 },
    {
      onStatus: ({ statusMessage }) => {
        if (statusMessage === undefined) return
        console.log(statusMessage)
        const [, worker] = /^node (\d) counts [2-5]$/.exec(statusMessage) ?? []
        if (worker !== undefined) killed ??= kill(nodes[Number(worker) - 1])
      },
    },
  )
  await killed
  if (content[0]?.type === 'text') console.log(`\nThe result of the call: ${content[0].text}`)
}

async function kill(node: Node | undefined): Promise<void> {
  if (node === undefined) return
  console.log(`(node ${node.name} is killed)`)
  const ended = new Promise((resolve) => node.child.once('exit', resolve))
  node.child.kill('SIGKILL')
  await ended
}

interface Engine {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
}

async function startEngine(): Promise<Engine> {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined
  if (!hasRedis || process.argv[2] === 'sqlite') {
    const name = hasRedis ? 'an SQLite file' : 'an SQLite file, since redis-server is not installed'
    return { name, env: { SQLITE_FILE: join(folder, 'cluster.db') } }
  }
  const port = await findPort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  await start('redis-server', args, {}, /Ready to accept connections/)
  return { name: 'a Redis', env: { REDIS_URL: `redis://127.0.0.1:${port}` } }
}

async function startNode(name: number, env: NodeJS.ProcessEnv): Promise<Node> {
  const port = await findPort()
  const program = fileURLToPath(import.meta.url).replace(/start(\.\w+)$/, 'server$1')
  const nodeEnv = { ...env, NODE_NAME: String(name), PORT: String(port) }
  const child = await start(process.execPath, [...process.execArgv, program], nodeEnv, /listens/)
  return { name, url: new URL(`http://127.0.0.1:${port}`), child }
}

/** Starts a program and waits for a line of its output. */
async function start(command: string, args: string[], env: NodeJS.ProcessEnv, isReady: RegExp): Promise<ChildProcess> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (isReady.test(output)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`${command} ended with code ${code}:\n${output}`)))
  })
  return child
}

async function findPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free port')
  return address.port
}

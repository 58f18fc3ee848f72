// Three primaries that share all slots. A cluster cannot live on unix sockets, so its ports are probed, and tried again where
// somebody else took one in between.
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { EngineProcess, makeFolder } from './engine-process.ts'
import { programOf } from './programs.ts'
import { ask } from './redis.ts'

const SLOTS = 16_384
const NODES = 3
const TRIES = 5
const JOIN_LIMIT_MS = 60_000

export interface RedisCluster {
  readonly ports: readonly number[]
  readonly nodes: readonly EngineProcess[]
  /** A command at one node, as text; the first part of its answer. */
  command(node: number, command: string): Promise<string>
  close(): Promise<void>
}

export async function startRedisCluster(): Promise<RedisCluster> {
  const started = await Promise.all(Array.from({ length: NODES }, () => startNode(TRIES)))
  const ports = started.map(({ port }) => port)
  const nodes = started.map(({ process }) => process)
  const command = (node: number, text: string) => ask(() => connect(ports[node] as number, '127.0.0.1'), text)
  const close = async () => void (await Promise.all(nodes.map((node) => node.close())))
  try {
    await join(started, command)
  } catch (error) {
    await close()
    throw error
  }
  return { ports, nodes, command, close }
}

async function startNode(tries: number): Promise<{ port: number; busPort: number; process: EngineProcess }> {
  const folder = makeFolder()
  const port = await freePort()
  const busPort = await freePort()
  const process = new EngineProcess(folder, {
    path: programOf('Redis'),
    args: [
      ...['--bind', '127.0.0.1', '--port', String(port), '--cluster-port', String(busPort)],
      ...['--dir', folder, '--save', '', '--cluster-enabled', 'yes', '--cluster-node-timeout', '15000'],
    ],
    isReady: () => ask(() => connect(port, '127.0.0.1'), 'PING').then((answer) => answer.startsWith('+PONG')),
  })
  try {
    await process.start()
    return { port, busPort, process }
  } catch (error) {
    const { log } = process
    await process.close()
    if (tries > 1 && /Address already in use/.test(log)) return startNode(tries - 1)
    throw error
  }
}

async function join(
  nodes: readonly { port: number; busPort: number }[],
  command: (node: number, text: string) => Promise<string>,
): Promise<void> {
  for (const index of nodes.keys()) {
    const from = Math.ceil((SLOTS * index) / NODES)
    const to = Math.ceil((SLOTS * (index + 1)) / NODES) - 1
    await command(index, `CLUSTER ADDSLOTSRANGE ${from} ${to}`)
    await command(index, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`)
  }
  for (const { port, busPort } of nodes.slice(1)) await command(0, `CLUSTER MEET 127.0.0.1 ${port} ${busPort}`)
  const giveUpAt = Date.now() + JOIN_LIMIT_MS
  for (const index of nodes.keys()) {
    while (!/cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(await command(index, 'CLUSTER INFO'))) {
      if (Date.now() > giveUpAt) throw new Error(`the Redis cluster did not form within ${JOIN_LIMIT_MS} ms`)
      await delay(20)
    }
  }
}

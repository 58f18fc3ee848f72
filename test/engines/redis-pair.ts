// A primary and its replica, and one address that leads to either: what a failover is for a client.
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { EngineProcess, makeFolder } from './engine-process.ts'
import { FaultyProxy } from './faulty-proxy.ts'
import { programOf } from './programs.ts'
import { ask } from './redis.ts'

const TRIES = 5
const SYNC_LIMIT_MS = 60_000

export interface RedisOfPair {
  readonly port: number
  readonly process: EngineProcess
  /** A command as text; the first part of its answer. */
  command(command: string): Promise<string>
}

export interface RedisPair {
  readonly primary: RedisOfPair
  readonly replica: RedisOfPair
  /** Leads to the primary, until `redirect`. */
  readonly url: string
  /** The replica takes writes from now on, with what it has. Clients still reach the primary. */
  promote(): Promise<void>
  /** The address leads to the replica from now on, and all connections to the primary end. */
  redirect(): void
  /** The former primary follows the replica: what it alone had is gone. */
  heal(): Promise<void>
  close(): Promise<void>
}

/** Replication needs ports; they are probed, and tried again where somebody else took one in between. */
export async function startRedisPair(): Promise<RedisPair> {
  const primary = await startOne([])
  const replica = await startOne(['--replicaof', '127.0.0.1', String(primary.port)])
  await untilFollowing(replica)
  const proxy = await new FaultyProxy({ port: primary.port, host: '127.0.0.1' }).start()
  return {
    primary,
    replica,
    url: proxy.url,
    promote: async () => void (await replica.command('REPLICAOF NO ONE')),
    redirect() {
      proxy.redirect({ port: replica.port, host: '127.0.0.1' })
      proxy.cut()
    },
    async heal() {
      await primary.command(`REPLICAOF 127.0.0.1 ${replica.port}`)
      await untilFollowing(primary)
    },
    async close() {
      await proxy.close()
      await Promise.all([primary.process.close(), replica.process.close()])
    },
  }
}

async function startOne(args: readonly string[], tries = TRIES): Promise<RedisOfPair> {
  const folder = makeFolder()
  const port = await freePort()
  const command = (text: string) => ask(() => connect(port, '127.0.0.1'), text)
  const process = new EngineProcess(folder, {
    path: programOf('Redis'),
    args: [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', ''],
      // At once, and not for further replicas first.
      ...['--repl-diskless-sync-delay', '0', '--appendonly', 'yes', ...args],
    ],
    isReady: () => command('PING').then((answer) => answer.startsWith('+PONG')),
  })
  try {
    await process.start()
    return { port, process, command }
  } catch (error) {
    const { log } = process
    await process.close()
    if (tries > 1 && /Address already in use/.test(log)) return startOne(args, tries - 1)
    throw error
  }
}

async function untilFollowing({ command }: RedisOfPair): Promise<void> {
  const giveUpAt = Date.now() + SYNC_LIMIT_MS
  while (!(await command('INFO replication')).includes('master_link_status:up')) {
    if (Date.now() > giveUpAt) throw new Error(`the replica did not follow within ${SYNC_LIMIT_MS} ms`)
    await delay(10)
  }
}

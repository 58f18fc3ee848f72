// What `open` looks at before anything is stored: version, role, settings that put data at risk.
import { BackendError } from '../../backend/backend-error.ts'
import type { RedisClient } from './client.ts'
import { replyCode } from './errors.ts'
import type { RedisPlace } from './url.ts'

/** The first versions with every command that is used: GETEX, and in a cluster sharded channels. */
const OLDEST = [6, 2] as const
const OLDEST_CLUSTER = [7, 0] as const

export interface ServerFacts {
  readonly isClusterNode: boolean
  readonly warnings: readonly string[]
}

/** Rejects with `BackendError` where this server cannot be used. */
export async function checkServer(client: RedisClient, isReplicated: boolean): Promise<ServerFacts> {
  const { replicaSetting } = client
  if (replicaSetting !== undefined) {
    throw refused(
      `The client of Redis may read from replicas (${replicaSetting}), which can be behind. Read from the primary.`,
    )
  }
  if (client.isCluster && isReplicated) {
    throw refused(`durability: 'replicated' works with one primary, not with a cluster.`)
  }
  const info = await readInfo(client)
  // A user without the right to ask is taken at its word.
  if (info === undefined) return { isClusterNode: client.isCluster, warnings: [] }
  if (info.size === 0) throw refused('What answers there is not Redis. Check the host and the port.')
  const isClusterNode = info.get('cluster_enabled') === '1'
  checkVersion(info.get('redis_version'), isClusterNode ? OLDEST_CLUSTER : OLDEST)
  if (info.get('role') === 'slave') {
    throw refused('This Redis is a replica and takes no writes. Connect to the primary.')
  }
  const policy = info.get('maxmemory_policy') ?? 'noeviction'
  const warnings =
    policy === 'noeviction'
      ? []
      : [
          `Redis may remove sessions and tasks when its memory is full (maxmemory-policy ${policy}). Set it to noeviction.`,
        ]
  return { isClusterNode, warnings }
}

/** The client library hides that a database does not exist, and would use database 0. */
export async function checkDatabase(client: RedisClient, { options: { db = 0 }, shown }: RedisPlace): Promise<void> {
  if (db === 0) return
  if (client.isCluster) throw refused(`The cluster at ${shown} has database 0 only, not ${db}. Change the URL.`)
  try {
    await client.send('select', '', [String(db)])
  } catch (error) {
    if (replyCode(error) !== 'ERR') throw error
    throw refused(
      `Redis at ${shown} has no database ${db}. Change the URL, or raise databases in the settings of Redis.`,
    )
  }
}

async function readInfo(client: RedisClient): Promise<Map<string, string> | undefined> {
  let text: unknown
  try {
    text = await client.send('info', '', [])
  } catch (error) {
    if (replyCode(error) === 'NOPERM') return undefined
    throw error
  }
  const lines = String(text).matchAll(/^(\w+):(.*?)\r?$/gm)
  return new Map([...lines].map(([, name = '', value = '']) => [name, value]))
}

function checkVersion(version: string | undefined, [major, minor]: readonly [number, number]): void {
  const [, ownMajor, ownMinor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
  if (ownMajor === undefined) return
  if (Number(ownMajor) > major || (Number(ownMajor) === major && Number(ownMinor) >= minor)) return
  throw refused(`Redis ${version} is too old. Use Redis ${major}.${minor} or newer, or Valkey.`)
}

function refused(message: string): BackendError {
  return new BackendError(message, { kind: 'refused', operation: 'open' })
}

// The keys of a Redis as the commands that make them, each with how long it has left.
import type { Redis } from 'ioredis'

export interface KeptKey {
  readonly command: readonly string[]
  readonly leftMs: number
}

export async function dumpRedis(client: Redis): Promise<KeptKey[]> {
  const kept: KeptKey[] = []
  for (const key of (await client.keys('*')).sort()) {
    kept.push({ command: await commandOf(client, key, await client.type(key)), leftMs: await client.pttl(key) })
  }
  return kept
}

async function commandOf(client: Redis, key: string, type: string): Promise<string[]> {
  if (type === 'string') return ['SET', key, (await client.get(key)) as string]
  if (type === 'list') return ['RPUSH', key, ...(await client.lrange(key, 0, -1))]
  if (type === 'hash') return ['HSET', key, ...Object.entries(await client.hgetall(key)).flat()]
  if (type !== 'zset') throw new Error(`${key} is a ${type}, which no snapshot knows`)
  const members = await client.zrange(key, '0', '-1', 'WITHSCORES')
  const pairs = members.flatMap((member, index) => (index % 2 === 0 ? [members[index + 1] as string, member] : []))
  return ['ZADD', key, ...pairs]
}

export async function loadRedis(client: Redis, kept: readonly KeptKey[]): Promise<void> {
  for (const { command, leftMs } of kept) {
    const [name, ...args] = command as [string, ...string[]]
    await client.call(name, args)
    if (leftMs > 0) await client.pexpire(args[0] as string, leftMs)
  }
}

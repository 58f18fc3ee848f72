// Backends on a test Redis, by each of the clients that `redis()` takes.
import { randomBytes } from 'node:crypto'
import { createClient, createCluster } from '@redis/client'
import { Cluster, Redis } from 'ioredis'
import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey'
import type { Backend } from '../../../src/backend/backend.ts'
import { type RedisBackendOptions, redis } from '../../../src/redis/redis.ts'

/** Far above what anything takes on a busy machine. */
export const PATIENT = { timeoutMs: 20_000 }

export function freshNamespace(): string {
  return randomBytes(8).toString('hex')
}

export interface UserClient {
  backend(options?: RedisBackendOptions): Backend
  /** Ends the user's own client. */
  close(): Promise<void>
}

export async function ioredisClient(socket: string): Promise<UserClient> {
  const client = new Redis(socket)
  client.on('error', () => {})
  return {
    backend: (options) => redis(client, { ...PATIENT, ...options }),
    close: async () => client.disconnect(),
  }
}

export async function iovalkeyClient(socket: string): Promise<UserClient> {
  const client = new Valkey(socket)
  client.on('error', () => {})
  return {
    backend: (options) => redis(client, { ...PATIENT, ...options }),
    close: async () => client.disconnect(),
  }
}

export async function nodeRedisClient(socket: string): Promise<UserClient> {
  const client = createClient({ socket: { path: socket, tls: false } })
  client.on('error', () => {})
  await client.connect()
  return {
    backend: (options) => redis(client, { ...PATIENT, ...options }),
    close: async () => client.destroy(),
  }
}

export async function ioredisCluster(ports: readonly number[]): Promise<UserClient> {
  const client = new Cluster(ports.map((port) => ({ host: '127.0.0.1', port })))
  client.on('error', () => {})
  return {
    backend: (options) => redis(client, { ...PATIENT, ...options }),
    close: async () => client.disconnect(),
  }
}

export async function iovalkeyCluster(ports: readonly number[]): Promise<UserClient> {
  const client = new ValkeyCluster(ports.map((port) => ({ host: '127.0.0.1', port })))
  client.on('error', () => {})
  return {
    backend: (options) => redis(client, { ...PATIENT, ...options }),
    close: async () => client.disconnect(),
  }
}

export async function nodeRedisCluster(ports: readonly number[]): Promise<UserClient> {
  const client = createCluster({ rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })) })
  client.on('error', () => {})
  await client.connect()
  return {
    backend: (options) => redis(client, { ...PATIENT, ...options }),
    close: async () => client.destroy(),
  }
}

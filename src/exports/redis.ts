// mcpwire/redis: the state that the nodes of a server share, on Redis or Valkey.
export type { RedisClientLike } from '../redis/connection/open-client.ts'
export { type RedisBackendOptions, redis } from '../redis/redis.ts'

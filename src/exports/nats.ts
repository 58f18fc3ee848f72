// mcpwire/nats: the state that the nodes of a server share, on NATS with JetStream.
export type { NatsConnectionLike } from '../nats/connection/nats-client.ts'
export { type NatsOptions, nats } from '../nats/nats.ts'

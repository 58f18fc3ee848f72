// mcpwire/postgres: the state that the nodes of a server share, in a Postgres database.
export type { PostgresPoolLike } from '../postgres/engine/open-client.ts'
export { migrate, type PostgresOptions, postgres } from '../postgres/postgres.ts'

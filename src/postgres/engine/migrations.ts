// The tables, as numbered migrations: each is added to what the ones before it made, and none changes what an older release uses.
import { BackendError } from '../../backend/backend-error.ts'
import { FUNCTIONS } from '../schema/functions.ts'
import { TABLES } from '../schema/tables.ts'
import { TASK_FUNCTIONS } from '../schema/task-functions.ts'
import { TASK_TURNS } from '../schema/task-turns.ts'
import type { Row } from './sql-client.ts'

const MIGRATIONS: readonly string[] = [`${TABLES}${FUNCTIONS}${TASK_FUNCTIONS}`, TASK_TURNS]

/** The version that this release writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Raised where another process has done the same meanwhile. */
const DONE_ALREADY = 'MW001'
/** Others may migrate at this moment. */
const MIGRATE_MS = 60_000
const OLDEST_SERVER = 120_000

export interface Migrating {
  readonly schema: string
  readonly mayMigrate: boolean
  query(text: string): Promise<readonly Row[]>
  script(text: string, timeoutMs: number): Promise<unknown>
}

/** Checks the server, then the tables; makes or updates them where it may. */
export async function prepareSchema(given: Migrating): Promise<void> {
  checkServer((await given.query(SERVER))[0] as Row)
  for (;;) {
    const version = await storedVersion(given)
    if (version > SCHEMA_VERSION) {
      const message = `The schema "${given.schema}" has tables of version ${version}; this release of mcpwire knows version ${SCHEMA_VERSION}. Update mcpwire.`
      throw new BackendError(message, { kind: 'newer-data', operation: 'open' })
    }
    if (version === SCHEMA_VERSION) return checkRights(given)
    if (!given.mayMigrate) {
      const message = `The schema "${given.schema}" has tables of version ${version}, and version ${SCHEMA_VERSION} is needed. Call migrate() first, or leave out migrate: false.`
      throw new BackendError(message, { kind: 'refused', operation: 'open' })
    }
    try {
      await given.script(migration(version, given.schema), MIGRATE_MS)
    } catch (error) {
      if ((error as { code?: unknown }).code !== DONE_ALREADY) throw error
    }
  }
}

const SERVER = `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
  current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS is_standby`

function checkServer({ number, version, encoding, is_standby: isStandby }: Row): void {
  if (Number(number) < OLDEST_SERVER) {
    throw new BackendError(`This Postgres has version ${String(version)}. Use version 12 or later.`, REFUSED)
  }
  if (encoding !== 'UTF8') {
    throw new BackendError(
      `The database has the encoding ${String(encoding)}. Create one with the encoding UTF8.`,
      REFUSED,
    )
  }
  if (isStandby !== true) return
  const message = 'This Postgres is a standby and takes no writes. Use the URL of the primary.'
  throw new BackendError(message, { kind: 'unavailable', operation: 'open' })
}

const REFUSED = { kind: 'refused', operation: 'open' } as const

async function storedVersion({ query, schema }: Migrating): Promise<number> {
  const [found] = await query(`SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace s ON s.oid = relnamespace
    WHERE nspname = '${schema}' AND relname = 'schema_version') AS is_there`)
  if (found?.['is_there'] !== true) return 0
  const [row] = await query('SELECT version FROM mcpwire.schema_version')
  return Number(row?.['version'] ?? 0)
}

/** Missing rights are found when the backend opens, not in the middle of a call. */
async function checkRights({ query, schema }: Migrating): Promise<void> {
  const [row] =
    await query(`SELECT has_schema_privilege('${schema}', 'USAGE') AND bool_and(has_table_privilege(c.oid, wanted)) AS may
    FROM pg_class c JOIN pg_namespace s ON s.oid = relnamespace, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) wanted
    WHERE nspname = '${schema}' AND relkind = 'r' AND relname <> 'schema_version'`)
  if (row?.['may'] === true) return
  const message = `The user of Postgres may not use the tables of the schema "${schema}". docs/postgres.md lists the rights that it needs.`
  throw new BackendError(message, REFUSED)
}

/** One message with several statements is one transaction. */
function migration(version: number, schema: string): string {
  return `SELECT set_config('statement_timeout', '${MIGRATE_MS}', true);
    SELECT pg_advisory_xact_lock(hashtextextended('mcpwire.migrate', 0));
    DO $$ BEGIN IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA "${schema}"; END IF; END $$;
    CREATE TABLE IF NOT EXISTS mcpwire.schema_version (version int NOT NULL);
    DO $$ BEGIN
      IF coalesce((SELECT max(version) FROM mcpwire.schema_version), 0) <> ${version} THEN
        RAISE EXCEPTION SQLSTATE '${DONE_ALREADY}';
      END IF;
    END $$;
    ${MIGRATIONS.slice(version).join('\n')}
    DELETE FROM mcpwire.schema_version;
    INSERT INTO mcpwire.schema_version VALUES (${SCHEMA_VERSION});`
}

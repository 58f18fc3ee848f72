// The tables, as numbered migrations: each is added to what the ones before it made, and none changes what an older release reads.
import { BackendError } from '../../backend/backend-error.ts'
import { TASK_BYTES } from '../../backend/byte-budget.ts'
import type { SQLiteDatabase } from './database.ts'

/** The place of a task that has ended. */
const ENDED = 4
/** Where the count of all owners stands: a name that no owner has. */
const EVERYBODY = 'char(1)'
const COUNT_DOWN = `UPDATE mcpwire_task_count SET open = open - 1 WHERE ns = OLD.ns AND owner IN (OLD.owner, ${EVERYBODY});
     DELETE FROM mcpwire_task_count WHERE ns = OLD.ns AND owner IN (OLD.owner, ${EVERYBODY}) AND open = 0;`

/** Counts and hints about tasks are triggers: they cost no further statement, and no transition can forget them. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE mcpwire_record (
     n INTEGER PRIMARY KEY, ns TEXT NOT NULL, key TEXT NOT NULL,
     value TEXT NOT NULL, revision TEXT NOT NULL, expires_at REAL NOT NULL
   );
   CREATE UNIQUE INDEX mcpwire_record_key ON mcpwire_record (ns, key);
   CREATE INDEX mcpwire_record_expiry ON mcpwire_record (expires_at);

   CREATE TABLE mcpwire_log (
     n INTEGER PRIMARY KEY, ns TEXT NOT NULL, name TEXT NOT NULL,
     first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, bytes INTEGER NOT NULL,
     is_ended INTEGER NOT NULL, expires_at REAL NOT NULL
   );
   CREATE UNIQUE INDEX mcpwire_log_name ON mcpwire_log (ns, name);
   CREATE INDEX mcpwire_log_expiry ON mcpwire_log (expires_at);
   CREATE TABLE mcpwire_entry (
     log INTEGER NOT NULL, seq INTEGER NOT NULL, writer TEXT NOT NULL, nth INTEGER NOT NULL,
     bytes INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (log, seq)
   ) WITHOUT ROWID;
   CREATE INDEX mcpwire_entry_post ON mcpwire_entry (log, writer, nth) WHERE nth > 0;

   CREATE TABLE mcpwire_message (
     n INTEGER PRIMARY KEY, ns TEXT NOT NULL, topic TEXT NOT NULL, text TEXT NOT NULL, sent_at REAL NOT NULL
   );

   CREATE TABLE mcpwire_bucket (
     ns TEXT NOT NULL, key TEXT NOT NULL, full_at REAL NOT NULL, PRIMARY KEY (ns, key)
   ) WITHOUT ROWID;
   CREATE INDEX mcpwire_bucket_expiry ON mcpwire_bucket (full_at);
   CREATE TABLE mcpwire_place (
     ns TEXT NOT NULL, key TEXT NOT NULL, holder TEXT NOT NULL, expires_at REAL NOT NULL, PRIMARY KEY (ns, key, holder)
   ) WITHOUT ROWID;
   CREATE INDEX mcpwire_place_expiry ON mcpwire_place (expires_at);

   CREATE TABLE mcpwire_task (
     n INTEGER PRIMARY KEY, ns TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL, dialect TEXT NOT NULL,
     given_ttl_ms REAL, keep_ms REAL NOT NULL, max_attempts INTEGER NOT NULL, claimable_at REAL NOT NULL,
     created_at REAL NOT NULL, updated_at REAL NOT NULL, ttl_ms REAL, poll_interval_ms REAL NOT NULL,
     place INTEGER NOT NULL, status TEXT NOT NULL, status_message TEXT,
     attempt INTEGER NOT NULL, tries INTEGER NOT NULL, revision INTEGER NOT NULL,
     lease_ends_at REAL, cancelled_at REAL, moved_at REAL NOT NULL, was_answered INTEGER NOT NULL, has_parts INTEGER NOT NULL,
     queue_at REAL, due_at REAL NOT NULL, input TEXT NOT NULL, outcome TEXT
   );
   CREATE UNIQUE INDEX mcpwire_task_id ON mcpwire_task (ns, id);
   CREATE INDEX mcpwire_task_owner ON mcpwire_task (ns, owner, dialect, created_at);
   CREATE INDEX mcpwire_task_queue ON mcpwire_task (ns, kind, queue_at) WHERE queue_at IS NOT NULL;
   CREATE INDEX mcpwire_task_due ON mcpwire_task (due_at);
   CREATE TABLE mcpwire_task_part (
     task INTEGER NOT NULL, type INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (task, type, name)
   ) WITHOUT ROWID;
   CREATE TABLE mcpwire_task_count (
     ns TEXT NOT NULL, owner TEXT NOT NULL, open INTEGER NOT NULL, PRIMARY KEY (ns, owner)
   ) WITHOUT ROWID;

   CREATE TRIGGER mcpwire_task_made AFTER INSERT ON mcpwire_task BEGIN
     INSERT INTO mcpwire_task_count (ns, owner, open) VALUES (NEW.ns, NEW.owner, 1), (NEW.ns, ${EVERYBODY}, 1)
       ON CONFLICT (ns, owner) DO UPDATE SET open = open + 1;
   END;
   CREATE TRIGGER mcpwire_task_ended AFTER UPDATE OF place ON mcpwire_task
   WHEN NEW.place = ${ENDED} AND OLD.place <> ${ENDED} BEGIN ${COUNT_DOWN} END;
   CREATE TRIGGER mcpwire_task_removed AFTER DELETE ON mcpwire_task
   WHEN OLD.place <> ${ENDED} BEGIN ${COUNT_DOWN} END;
   CREATE TRIGGER mcpwire_task_offered AFTER INSERT ON mcpwire_task WHEN NEW.queue_at IS NOT NULL BEGIN
     INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (NEW.ns, 'work', '', NEW.moved_at);
   END;
   CREATE TRIGGER mcpwire_task_offered_again AFTER UPDATE OF queue_at ON mcpwire_task
   WHEN NEW.queue_at IS NOT NULL AND OLD.queue_at IS NULL BEGIN
     INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (NEW.ns, 'work', '', NEW.moved_at);
   END;
   CREATE TRIGGER mcpwire_task_changed AFTER UPDATE OF revision ON mcpwire_task WHEN NEW.revision <> OLD.revision BEGIN
     INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (NEW.ns, 'changed', NEW.id, NEW.updated_at);
   END;
   CREATE TRIGGER mcpwire_task_cancelled AFTER UPDATE OF cancelled_at ON mcpwire_task
   WHEN NEW.cancelled_at IS NOT OLD.cancelled_at BEGIN
     INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (NEW.ns, 'changed', NEW.id, NEW.moved_at);
   END;`,
  // What tasks take, and the turns of their owners. A process of an older release counts 2 KiB for each of its tasks.
  `ALTER TABLE mcpwire_task ADD COLUMN bytes INTEGER NOT NULL DEFAULT ${TASK_BYTES};
   ALTER TABLE mcpwire_task ADD COLUMN turn REAL;
   DROP INDEX mcpwire_task_queue;
   CREATE INDEX mcpwire_task_turn ON mcpwire_task (ns, kind, turn) WHERE queue_at IS NOT NULL;
   CREATE INDEX mcpwire_task_line ON mcpwire_task (ns, owner, turn) WHERE queue_at IS NOT NULL;
   ALTER TABLE mcpwire_task_count ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE mcpwire_task_count ADD COLUMN turn REAL NOT NULL DEFAULT 0;
   INSERT INTO mcpwire_task_count (ns, owner, open, bytes) SELECT ns, owner, 0, sum(bytes) FROM mcpwire_task WHERE true GROUP BY ns, owner
     ON CONFLICT (ns, owner) DO UPDATE SET bytes = excluded.bytes;
   INSERT INTO mcpwire_task_count (ns, owner, open, bytes) SELECT ns, ${EVERYBODY}, 0, sum(bytes) FROM mcpwire_task WHERE true GROUP BY ns
     ON CONFLICT (ns, owner) DO UPDATE SET bytes = excluded.bytes;

   DROP TRIGGER mcpwire_task_made;
   DROP TRIGGER mcpwire_task_ended;
   DROP TRIGGER mcpwire_task_removed;
   CREATE TRIGGER mcpwire_task_made AFTER INSERT ON mcpwire_task BEGIN
     INSERT INTO mcpwire_task_count (ns, owner, open, bytes) VALUES (NEW.ns, NEW.owner, 1, NEW.bytes), (NEW.ns, ${EVERYBODY}, 1, NEW.bytes)
       ON CONFLICT (ns, owner) DO UPDATE SET open = open + 1, bytes = bytes + excluded.bytes;
   END;
   CREATE TRIGGER mcpwire_task_ended AFTER UPDATE OF place ON mcpwire_task WHEN NEW.place = ${ENDED} AND OLD.place <> ${ENDED} BEGIN
     UPDATE mcpwire_task_count SET open = open - 1 WHERE ns = OLD.ns AND owner IN (OLD.owner, ${EVERYBODY});
   END;
   CREATE TRIGGER mcpwire_task_weighed AFTER UPDATE OF bytes ON mcpwire_task WHEN NEW.bytes <> OLD.bytes BEGIN
     UPDATE mcpwire_task_count SET bytes = bytes + NEW.bytes - OLD.bytes WHERE ns = OLD.ns AND owner IN (OLD.owner, ${EVERYBODY});
   END;
   CREATE TRIGGER mcpwire_task_removed AFTER DELETE ON mcpwire_task BEGIN
     UPDATE mcpwire_task_count SET open = open - (OLD.place <> ${ENDED}), bytes = bytes - OLD.bytes
       WHERE ns = OLD.ns AND owner IN (OLD.owner, ${EVERYBODY});
     DELETE FROM mcpwire_task_count WHERE ns = OLD.ns AND owner IN (OLD.owner, ${EVERYBODY}) AND open = 0 AND bytes <= 0;
   END;
   CREATE TRIGGER mcpwire_task_part_kept AFTER INSERT ON mcpwire_task_part BEGIN
     UPDATE mcpwire_task SET bytes = bytes + ${partBytes('NEW')} WHERE n = NEW.task;
   END;
   CREATE TRIGGER mcpwire_task_part_taken AFTER DELETE ON mcpwire_task_part BEGIN
     UPDATE mcpwire_task SET bytes = bytes - ${partBytes('OLD')} WHERE n = OLD.task AND place <> ${ENDED};
   END;`,
]

/** `length` of a text counts characters. */
function partBytes(row: 'NEW' | 'OLD'): string {
  return `(length(CAST(${row}.name AS BLOB)) + length(CAST(${row}.value AS BLOB)))`
}

/** The version that this release writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Throws where the tables are newer than this release. */
export function checkVersion(database: SQLiteDatabase): number {
  const version = storedVersion(database)
  if (version <= SCHEMA_VERSION) return version
  const message = `The SQLite file has tables of version ${version}; this release of mcpwire knows version ${SCHEMA_VERSION}. Update mcpwire.`
  throw new BackendError(message, { kind: 'newer-data', operation: 'open' })
}

/** Adds what is missing. Of several processes that do it at once, one does it and the others find it done. */
export function migrateDatabase(database: SQLiteDatabase): void {
  if (checkVersion(database) === SCHEMA_VERSION) return
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = checkVersion(database)
    if (version === 0) database.exec('CREATE TABLE IF NOT EXISTS mcpwire_schema (version INTEGER NOT NULL)')
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    if (version < SCHEMA_VERSION) {
      database.exec(`DELETE FROM mcpwire_schema; INSERT INTO mcpwire_schema VALUES (${SCHEMA_VERSION})`)
    }
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

export function requireMigrated(database: SQLiteDatabase): void {
  const version = checkVersion(database)
  if (version === SCHEMA_VERSION) return
  const message = `The SQLite file has tables of version ${version}, and version ${SCHEMA_VERSION} is needed. Call migrate() first, or leave out migrate: false.`
  throw new BackendError(message, { kind: 'refused', operation: 'open' })
}

/** SQLite has rolled back by itself where the disk is full. */
export function rollBack(database: SQLiteDatabase): void {
  try {
    database.exec('ROLLBACK')
  } catch {}
}

function storedVersion(database: SQLiteDatabase): number {
  const table = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'mcpwire_schema'")
    .get()
  if (table === undefined || table === null) return 0
  const row = database.prepare('SELECT version FROM mcpwire_schema').get() as { version: number } | undefined
  return row?.version ?? 0
}

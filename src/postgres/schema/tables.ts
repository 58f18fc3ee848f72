// The tables of version 1. Times are milliseconds by the clock of Postgres.

export const TABLES = `
CREATE TABLE mcpwire.record (
  ns text NOT NULL, key text NOT NULL, value text NOT NULL, revision text NOT NULL, expires_at float8 NOT NULL,
  PRIMARY KEY (ns, key)
);
CREATE INDEX record_expiry ON mcpwire.record (expires_at);

CREATE TABLE mcpwire.log (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ns text NOT NULL, name text NOT NULL,
  first_seq float8 NOT NULL DEFAULT 1, last_seq float8 NOT NULL DEFAULT 0, bytes float8 NOT NULL DEFAULT 0,
  is_ended boolean NOT NULL DEFAULT false, expires_at float8 NOT NULL
);
CREATE UNIQUE INDEX log_name ON mcpwire.log (ns, name);
CREATE INDEX log_expiry ON mcpwire.log (expires_at);
CREATE TABLE mcpwire.entry (
  log bigint NOT NULL, seq float8 NOT NULL, writer text NOT NULL, nth float8 NOT NULL, bytes float8 NOT NULL, data text NOT NULL,
  PRIMARY KEY (log, seq)
);
CREATE UNIQUE INDEX entry_post ON mcpwire.entry (log, writer, nth) WHERE nth > 0;

CREATE UNLOGGED TABLE mcpwire.message (
  n bigint PRIMARY KEY, ns text NOT NULL, topic text NOT NULL, text text NOT NULL, sent_at float8 NOT NULL
);

CREATE TABLE mcpwire.bucket (ns text NOT NULL, key text NOT NULL, full_at float8 NOT NULL, PRIMARY KEY (ns, key));
CREATE INDEX bucket_expiry ON mcpwire.bucket (full_at);
CREATE TABLE mcpwire.hold (
  ns text NOT NULL, key text NOT NULL, holder text NOT NULL, expires_at float8 NOT NULL, PRIMARY KEY (ns, key, holder)
);
CREATE INDEX hold_expiry ON mcpwire.hold (expires_at);

CREATE TABLE mcpwire.task (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ns text NOT NULL, id text NOT NULL, owner text NOT NULL, kind text NOT NULL,
  dialect text NOT NULL, given_ttl_ms float8, keep_ms float8 NOT NULL, max_attempts float8 NOT NULL, claimable_at float8 NOT NULL,
  created_at float8 NOT NULL, updated_at float8 NOT NULL, ttl_ms float8, poll_interval_ms float8 NOT NULL,
  place int NOT NULL, status text NOT NULL DEFAULT 'working', status_message text,
  attempt float8 NOT NULL, tries float8 NOT NULL, revision float8 NOT NULL DEFAULT 1,
  lease_ends_at float8, cancelled_at float8, was_answered boolean NOT NULL DEFAULT false, has_parts boolean NOT NULL DEFAULT false,
  queue_at float8, due_at float8 NOT NULL, input text NOT NULL, outcome text
);
CREATE UNIQUE INDEX task_id ON mcpwire.task (ns, id);
CREATE INDEX task_owner ON mcpwire.task (ns, owner, dialect, created_at, n);
CREATE INDEX task_open ON mcpwire.task (ns, owner) WHERE place <> 4;
CREATE INDEX task_queue ON mcpwire.task (ns, kind, queue_at, n) WHERE queue_at IS NOT NULL;
CREATE INDEX task_due ON mcpwire.task (due_at) WHERE place <> 4;
CREATE INDEX task_gone ON mcpwire.task (due_at) WHERE place = 4;
CREATE TABLE mcpwire.task_part (task bigint NOT NULL, type int NOT NULL, name text NOT NULL, value text NOT NULL);
-- A name may be longer than an index takes.
CREATE UNIQUE INDEX task_part_name ON mcpwire.task_part (task, type, md5(name));
`

// Functions and tables of version 2 for tasks: what they take, the limits, and the turns of their owners.
//
// Counts are rows of task_use, which triggers change when a transaction commits: the work is done by then, so that nobody waits with
// such a row for a task. A task counts in the same one of several rows all its life, so that many transactions rarely meet and a row
// that is empty again can go. Whoever changes several tasks in one transaction holds the lock of bulk work: two of them could wait for
// each other's rows.
//
// Turns are fair queueing by start times: a task that becomes ready gets the turn that is claimed now (task_clock), or the one after the
// last of its owner. So the tasks of one owner stand one turn apart, and those of another do not wait behind all of them.
import { TASK_BYTES } from '../../backend/byte-budget.ts'
import { NOBODY } from '../../backend/task-store.ts'
import { sweepFunction } from './functions.ts'
import { CLAIMED, FRONT, LONGEST_MS, MAX_SETTLED, MORE_CANDIDATES } from './task-functions.ts'

const SHARDS = 8
/** The lock of whoever changes several tasks at once. */
const BULK = "hashtextextended('mcpwire.tasks', 0)"

const pick = (locked: string) => `  RETURN QUERY WITH picked AS (
    SELECT n, turn FROM mcpwire.task WHERE queue_at <= v_now AND due_at > v_now AND n = ANY (ARRAY(
      SELECT first.n FROM json_array_elements_text(p_kinds::json) AS wanted (kind) CROSS JOIN LATERAL (
        SELECT waiting.n, waiting.turn FROM mcpwire.task waiting
        WHERE waiting.ns = p_ns AND waiting.kind = wanted.kind AND waiting.queue_at <= v_now AND waiting.due_at > v_now
        ORDER BY waiting.turn, waiting.n LIMIT p_max + ${MORE_CANDIDATES}) first))
    ORDER BY turn, n LIMIT p_max FOR UPDATE ${locked}
  ), t AS (
    UPDATE mcpwire.task SET place = 1, attempt = task.attempt + 1, tries = task.tries + 1, lease_ends_at = v_now + p_lease,
      queue_at = NULL, due_at = v_now + p_lease FROM picked WHERE task.n = picked.n
    RETURNING task.n, task.id, task.kind, task.input, task.attempt, task.has_parts, picked.turn
  ), passed AS (
    -- Whoever finds the clock locked leaves it to the others: it need not be exact.
    UPDATE mcpwire.task_clock c SET turn = last.turn FROM (SELECT max(turn) AS turn FROM picked) last
    WHERE c.ctid = (SELECT ctid FROM mcpwire.task_clock WHERE ns = p_ns FOR UPDATE SKIP LOCKED) AND c.turn < last.turn
  ) SELECT ${CLAIMED} FROM t ORDER BY t.turn, t.n;
`

export const TASK_TURNS = `
ALTER TABLE mcpwire.task ADD COLUMN bytes float8 NOT NULL DEFAULT ${TASK_BYTES}, ADD COLUMN turn float8 NOT NULL DEFAULT 0;
DROP INDEX mcpwire.task_queue;
CREATE INDEX task_turn ON mcpwire.task (ns, kind, turn, n) WHERE queue_at IS NOT NULL;
CREATE INDEX task_line ON mcpwire.task (ns, owner, turn) WHERE queue_at IS NOT NULL;
CREATE TABLE mcpwire.task_clock (ns text PRIMARY KEY, turn float8 NOT NULL);
CREATE TABLE mcpwire.task_use (
  ns text NOT NULL, owner text NOT NULL, shard int NOT NULL, open float8 NOT NULL, bytes float8 NOT NULL, PRIMARY KEY (ns, owner, shard)
);
INSERT INTO mcpwire.task_use SELECT ns, ':' || owner, n % ${SHARDS}, count(*) FILTER (WHERE place <> 4), sum(bytes) FROM mcpwire.task
  GROUP BY 1, 2, 3;
INSERT INTO mcpwire.task_use SELECT ns, '*', shard, sum(open), sum(bytes) FROM mcpwire.task_use GROUP BY 1, 2, 3;

-- The row of all comes first: whoever has it may have the row of the owner too.
CREATE FUNCTION mcpwire.count_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_ns text := coalesce(NEW.ns, OLD.ns); v_owner text := ':' || coalesce(NEW.owner, OLD.owner);
  v_shard int := coalesce(NEW.n, OLD.n) % ${SHARDS}; v_bytes float8 := coalesce(NEW.bytes, 0) - coalesce(OLD.bytes, 0);
  v_open int := coalesce((NEW.place <> 4)::int, 0) - coalesce((OLD.place <> 4)::int, 0);
BEGIN
  INSERT INTO mcpwire.task_use AS u VALUES (v_ns, '*', v_shard, v_open, v_bytes), (v_ns, v_owner, v_shard, v_open, v_bytes)
    ON CONFLICT (ns, owner, shard) DO UPDATE SET open = u.open + v_open, bytes = u.bytes + v_bytes;
  IF TG_OP = 'DELETE' THEN DELETE FROM mcpwire.task_use WHERE ns = v_ns AND owner = v_owner AND shard = v_shard AND open = 0 AND bytes <= 0; END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER task_made AFTER INSERT ON mcpwire.task DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION mcpwire.count_task();
CREATE CONSTRAINT TRIGGER task_changed AFTER UPDATE ON mcpwire.task DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.bytes <> NEW.bytes OR (OLD.place = 4) <> (NEW.place = 4)) EXECUTE FUNCTION mcpwire.count_task();
CREATE CONSTRAINT TRIGGER task_removed AFTER DELETE ON mcpwire.task DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION mcpwire.count_task();

CREATE FUNCTION mcpwire.weigh_part() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE v_bytes float8 := coalesce(octet_length(NEW.name) + octet_length(NEW.value), 0) - coalesce(octet_length(OLD.name) + octet_length(OLD.value), 0);
BEGIN
  UPDATE mcpwire.task SET bytes = bytes + v_bytes WHERE n = coalesce(NEW.task, OLD.task) AND place <> 4;
  RETURN NULL;
END $$;
CREATE TRIGGER part_weighed AFTER INSERT OR DELETE ON mcpwire.task_part FOR EACH ROW EXECUTE FUNCTION mcpwire.weigh_part();

CREATE FUNCTION mcpwire.next_turn(p_ns text, p_owner text) RETURNS float8 LANGUAGE sql AS $$
  SELECT greatest(coalesce((SELECT turn FROM mcpwire.task_clock WHERE ns = p_ns), 0),
    coalesce((SELECT max(turn) + 1 FROM mcpwire.task WHERE ns = p_ns AND owner = p_owner AND queue_at IS NOT NULL), 0)) $$;

CREATE OR REPLACE FUNCTION mcpwire.save_task(t mcpwire.task) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
DECLARE v_end float8 := t.created_at + coalesce(t.ttl_ms, ${LONGEST_MS}); v_was_ready boolean := t.queue_at IS NOT NULL AND t.turn >= 0;
BEGIN
  t.queue_at := CASE t.place WHEN 0 THEN t.claimable_at WHEN 2 THEN t.claimable_at - ${FRONT} END;
  IF t.place = 2 THEN t.turn := t.queue_at; END IF;
  IF t.place = 0 AND NOT v_was_ready THEN t.turn := mcpwire.next_turn(t.ns, t.owner); END IF;
  t.due_at := CASE t.place WHEN 1 THEN least(t.lease_ends_at, t.cancelled_at) WHEN 2 THEN t.created_at + ${LONGEST_MS}
    WHEN 4 THEN greatest(v_end, t.updated_at + t.keep_ms) ELSE v_end END;
  UPDATE mcpwire.task SET updated_at = t.updated_at, ttl_ms = t.ttl_ms, poll_interval_ms = t.poll_interval_ms, place = t.place,
    status = t.status, status_message = t.status_message, attempt = t.attempt, tries = t.tries, revision = t.revision,
    lease_ends_at = t.lease_ends_at, cancelled_at = t.cancelled_at, was_answered = t.was_answered, has_parts = t.has_parts,
    queue_at = t.queue_at, due_at = t.due_at, input = t.input, outcome = t.outcome, turn = t.turn,
    bytes = CASE WHEN t.place = 4 THEN ${TASK_BYTES} + coalesce(octet_length(t.outcome), 0) ELSE task.bytes END WHERE n = t.n;
  RETURN t;
END $$;

CREATE OR REPLACE FUNCTION mcpwire.settle_due() RETURNS void LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task; v_now float8 := mcpwire.now_ms();
BEGIN
  IF NOT EXISTS (SELECT FROM mcpwire.task WHERE due_at <= v_now AND place <> 4) OR NOT pg_try_advisory_xact_lock(${BULK}) THEN RETURN; END IF;
  FOR t IN SELECT * FROM mcpwire.task WHERE due_at <= v_now AND place <> 4 ORDER BY due_at LIMIT ${MAX_SETTLED} FOR UPDATE SKIP LOCKED LOOP
    PERFORM mcpwire.settle_task(t, v_now);
  END LOOP;
END $$;

-- Settles what is due and removes what is gone. False: there was nothing.
CREATE FUNCTION mcpwire.make_room() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE v_now float8 := mcpwire.now_ms();
BEGIN
  IF NOT EXISTS (SELECT FROM mcpwire.task WHERE due_at <= v_now AND place <> 4)
    AND NOT EXISTS (SELECT FROM mcpwire.task WHERE due_at <= v_now AND place = 4) THEN RETURN false; END IF;
  PERFORM mcpwire.settle_due();
  PERFORM mcpwire.remove_gone(${MAX_SETTLED});
  RETURN true;
END $$;

CREATE FUNCTION mcpwire.remove_gone(p_rows int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(${BULK}) THEN RETURN; END IF;
  DELETE FROM mcpwire.task WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM mcpwire.task WHERE place = 4 AND due_at <= mcpwire.now_ms() ORDER BY due_at LIMIT p_rows FOR UPDATE SKIP LOCKED));
END $$;

${sweepFunction('CREATE OR REPLACE', '  PERFORM mcpwire.remove_gone(p_rows);\n')}
CREATE OR REPLACE FUNCTION mcpwire.list_tasks(p_ns text, p_owner text, p_dialect text, p_after text, p_from float8, p_limit float8)
RETURNS SETOF mcpwire.task LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task; v_after mcpwire.task; v_count int := 0; v_may_settle boolean := false;
BEGIN
  IF p_after IS NOT NULL THEN
    SELECT * INTO v_after FROM mcpwire.task WHERE ns = p_ns AND id = p_after AND owner = p_owner AND dialect = p_dialect;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  FOR t IN SELECT * FROM mcpwire.task WHERE ns = p_ns AND owner = p_owner AND dialect = p_dialect
    AND (created_at, n) > (coalesce(v_after.created_at, p_from, 0), coalesce(v_after.n, -1)) ORDER BY created_at, n LOOP
    EXIT WHEN v_count >= p_limit;
    IF t.due_at <= mcpwire.now_ms() THEN
      IF NOT v_may_settle THEN PERFORM pg_advisory_xact_lock(${BULK}); END IF;
      v_may_settle := true;
      t := mcpwire.find_task(p_ns, t.id);
    END IF;
    CONTINUE WHEN t.n IS NULL;
    v_count := v_count + 1;
    RETURN NEXT t;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION mcpwire.claim_tasks(p_ns text, p_kinds text, p_max float8, p_lease float8)
RETURNS TABLE (id text, kind text, input text, attempt float8, steps text, answers text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE v_now float8;
BEGIN
  PERFORM mcpwire.settle_due();
  v_now := mcpwire.now_ms();
${pick('SKIP LOCKED')}  -- Somebody may hold for a moment what stays ready.
  IF NOT FOUND THEN
  ${pick('')}  END IF;
END $$;

-- The name of the limit that so many more would pass. NULL as a limit: none. p_own and p_all: open tasks and bytes of the owner, of all.
CREATE FUNCTION mcpwire.limit_passed(p_ns text, p_owner text, p_tasks float8, p_bytes float8, p_own float8[], p_all float8[])
RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_open float8; v_bytes float8;
BEGIN
  IF p_owner <> '${NOBODY}' THEN
    SELECT sum(open) + p_tasks, sum(bytes) + p_bytes INTO v_open, v_bytes FROM mcpwire.task_use WHERE ns = p_ns AND owner = ':' || p_owner;
    IF p_tasks > 0 AND coalesce(v_open, p_tasks) > p_own[1] THEN RETURN 'perOwner'; END IF;
    IF p_bytes > 0 AND coalesce(v_bytes, p_bytes) > p_own[2] THEN RETURN 'maxBytesPerOwner'; END IF;
  END IF;
  SELECT sum(open) + p_tasks, sum(bytes) + p_bytes INTO v_open, v_bytes FROM mcpwire.task_use WHERE ns = p_ns AND owner = '*';
  IF p_tasks > 0 AND coalesce(v_open, p_tasks) > p_all[1] THEN RETURN 'total'; END IF;
  IF p_bytes > 0 AND coalesce(v_bytes, p_bytes) > p_all[2] THEN RETURN 'maxBytes'; END IF;
  RETURN NULL;
END $$;

-- Whether parts of a type (1 step, 2 answer, 3 question), or an outcome, pass a limit. What is there already counts as nothing.
CREATE FUNCTION mcpwire.part_passes(p_ns text, p_id text, p_type int, p_parts text, p_own float8, p_all float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task; v_bytes float8;
BEGIN
  IF p_own IS NULL AND p_all IS NULL THEN RETURN NULL; END IF;
  SELECT * INTO t FROM mcpwire.task WHERE ns = p_ns AND id = p_id AND place <> 4;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF p_type = 4 THEN v_bytes := ${TASK_BYTES} + octet_length(p_parts) - t.bytes;
  ELSE
    SELECT sum(octet_length(pair->>0) + octet_length(pair->>1)) INTO v_bytes FROM json_array_elements(p_parts::json) AS given (pair)
    WHERE (p_type = 2) = EXISTS (SELECT FROM mcpwire.task_part WHERE task = t.n AND md5(name) = md5(pair->>0)
      AND CASE p_type WHEN 1 THEN type = 1 WHEN 2 THEN type = 3 ELSE type IN (2, 3) END);
  END IF;
  RETURN mcpwire.limit_passed(p_ns, t.owner, 0, coalesce(v_bytes, 0), ARRAY[NULL, p_own], ARRAY[NULL, p_all]);
END $$;

-- As create_task of version 1, within limits. Creates of one owner follow each other where they could pass its limit together, or where
-- the task has to wait for its turn.
CREATE FUNCTION mcpwire.create_task_within(p_ns text, p_id text, p_owner text, p_kind text, p_dialect text, p_ttl float8, p_keep float8,
  p_attempts float8, p_delay float8, p_poll float8, p_lease float8, p_input text, p_steps text, p_answers text,
  p_own_open float8, p_all_open float8, p_own_bytes float8, p_all_bytes float8)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task; v_bytes float8; v_limit text; v_own float8[] := ARRAY[p_own_open, p_own_bytes];
  v_all float8[] := ARRAY[p_all_open, p_all_bytes];
BEGIN
  IF NOT EXISTS (SELECT FROM mcpwire.task_clock WHERE ns = p_ns) THEN
    INSERT INTO mcpwire.task_clock VALUES (p_ns, 0) ON CONFLICT DO NOTHING;
  END IF;
  IF p_owner <> '${NOBODY}' AND (p_lease IS NULL OR EXISTS (SELECT FROM mcpwire.task_use WHERE ns = p_ns AND owner = ':' || p_owner
    HAVING sum(open) * 2 >= p_own_open OR sum(bytes) * 2 >= p_own_bytes)) THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('mcpwire.owner ' || p_ns || ' ' || p_owner, 0));
  END IF;
  IF num_nulls(p_own_open, p_all_open, p_own_bytes, p_all_bytes) < 4 AND NOT EXISTS (SELECT FROM mcpwire.task WHERE ns = p_ns AND id = p_id) THEN
    v_bytes := ${TASK_BYTES} + octet_length(p_input) + coalesce((SELECT sum(octet_length(pair->>0) + octet_length(pair->>1)) FROM (
      SELECT json_array_elements(p_steps::json) UNION ALL SELECT json_array_elements(p_answers::json)) AS given (pair)), 0);
    v_limit := mcpwire.limit_passed(p_ns, p_owner, 1, v_bytes, v_own, v_all);
    IF v_limit IS NOT NULL THEN RETURN v_limit; END IF;
  END IF;
  RETURN mcpwire.create_task(p_ns, p_id, p_owner, p_kind, p_dialect, p_ttl, p_keep, p_attempts, p_delay, p_poll, p_lease, p_input, p_steps, p_answers);
END $$;

-- The turn and the bytes of a task that anybody makes.
CREATE FUNCTION mcpwire.prepare_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.bytes := ${TASK_BYTES} + octet_length(NEW.input);
  IF NEW.queue_at IS NOT NULL THEN NEW.turn := mcpwire.next_turn(NEW.ns, NEW.owner); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER task_prepared BEFORE INSERT ON mcpwire.task FOR EACH ROW EXECUTE FUNCTION mcpwire.prepare_task();
`

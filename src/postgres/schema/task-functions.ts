// Functions of version 1 for tasks. Places: 0 ready, 1 leased, 2 lost (its worker has not renewed in time, but nobody else has claimed
// it yet), 3 parked, 4 ended. Parts: 1 step, 2 answer, 3 question.
import { TaskEnding } from '../../backend/task-endings.ts'
import { TTL_STEP_MS } from '../../backend/task-store.ts'

/** A task without a limit on the wire is kept so long. */
export const LONGEST_MS = 400 * 86_400_000
/** Further than any clock: a task whose worker was lost comes before all others. */
export const FRONT = '1e14'
/** How much one call does for what others have left behind. */
export const MAX_SETTLED = 64
/** Looked at beyond what is claimed, since others may hold some of them at this moment. */
export const MORE_CANDIDATES = 100

export const CLAIMED = `t.id, t.kind, t.input, t.attempt,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM mcpwire.task_part WHERE task = t.n AND type = 1)::text END,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM mcpwire.task_part WHERE task = t.n AND type = 2)::text END`

const pick = (locked: string) => `  RETURN QUERY WITH picked AS (
    SELECT n, queue_at FROM mcpwire.task WHERE queue_at <= v_now AND due_at > v_now AND n = ANY (ARRAY(
      SELECT first.n FROM json_array_elements_text(p_kinds::json) AS wanted (kind) CROSS JOIN LATERAL (
        SELECT waiting.n, waiting.queue_at FROM mcpwire.task waiting
        WHERE waiting.ns = p_ns AND waiting.kind = wanted.kind AND waiting.queue_at <= v_now AND waiting.due_at > v_now
        ORDER BY waiting.queue_at, waiting.n LIMIT p_max + ${MORE_CANDIDATES}) first))
    ORDER BY queue_at, n LIMIT p_max FOR UPDATE ${locked}
  ), t AS (
    UPDATE mcpwire.task SET place = 1, attempt = task.attempt + 1, tries = task.tries + 1, lease_ends_at = v_now + p_lease,
      queue_at = NULL, due_at = v_now + p_lease FROM picked WHERE task.n = picked.n
    RETURNING task.n, task.id, task.kind, task.input, task.attempt, task.has_parts, picked.queue_at
  ) SELECT ${CLAIMED} FROM t ORDER BY t.queue_at, t.n;
`

export const TASK_FUNCTIONS = `
CREATE FUNCTION mcpwire.save_task(t mcpwire.task) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
DECLARE v_end float8 := t.created_at + coalesce(t.ttl_ms, ${LONGEST_MS});
BEGIN
  t.queue_at := CASE t.place WHEN 0 THEN t.claimable_at WHEN 2 THEN t.claimable_at - ${FRONT} END;
  t.due_at := CASE t.place WHEN 1 THEN least(t.lease_ends_at, t.cancelled_at) WHEN 2 THEN t.created_at + ${LONGEST_MS}
    WHEN 4 THEN greatest(v_end, t.updated_at + t.keep_ms) ELSE v_end END;
  UPDATE mcpwire.task SET updated_at = t.updated_at, ttl_ms = t.ttl_ms, poll_interval_ms = t.poll_interval_ms, place = t.place,
    status = t.status, status_message = t.status_message, attempt = t.attempt, tries = t.tries, revision = t.revision,
    lease_ends_at = t.lease_ends_at, cancelled_at = t.cancelled_at, was_answered = t.was_answered, has_parts = t.has_parts,
    queue_at = t.queue_at, due_at = t.due_at, input = t.input, outcome = t.outcome WHERE n = t.n;
  RETURN t;
END $$;

CREATE FUNCTION mcpwire.touch_task(t mcpwire.task, p_now float8) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
BEGIN
  t.updated_at := greatest(p_now, t.updated_at);
  t.revision := t.revision + 1;
  RETURN t;
END $$;

CREATE FUNCTION mcpwire.end_task(t mcpwire.task, p_now float8, p_status text, p_outcome text) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
BEGIN
  t.place := 4;
  t.status := p_status;
  -- The time on the wire grows, so that a result that is fresh is never dropped.
  IF t.ttl_ms < p_now - t.created_at + t.keep_ms THEN t.ttl_ms := p_now - t.created_at + t.keep_ms; END IF;
  t := mcpwire.touch_task(t, p_now);
  t.input := '';
  t.outcome := p_outcome;
  IF t.has_parts THEN DELETE FROM mcpwire.task_part WHERE task = t.n; END IF;
  t.has_parts := false;
  RETURN mcpwire.save_task(t);
END $$;

-- The store's own end: no outcome, and whoever runs the task has lost it.
CREATE FUNCTION mcpwire.end_task_itself(t mcpwire.task, p_now float8, p_status text, p_message text) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
BEGIN
  t.attempt := t.attempt + 1;
  t.status_message := coalesce(p_message, t.status_message);
  RETURN mcpwire.end_task(t, p_now, p_status, NULL);
END $$;

-- Ends what is overdue, and puts what was lost back into the queue. NULL: the task is gone. The row is locked.
CREATE FUNCTION mcpwire.settle_task(t mcpwire.task, p_now float8) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
BEGIN
  WHILE t.due_at <= p_now LOOP
    IF t.place = 4 THEN
      DELETE FROM mcpwire.task WHERE n = t.n;
      RETURN NULL;
    ELSIF t.place = 1 AND t.cancelled_at IS NOT NULL THEN t := mcpwire.end_task_itself(t, p_now, 'cancelled', NULL);
    ELSIF t.place = 1 AND t.tries >= t.max_attempts THEN
      t := mcpwire.end_task_itself(t, p_now, 'failed', '${TaskEnding.WorkerLost}');
    ELSIF t.place = 1 THEN
      t.place := 2;
      t := mcpwire.save_task(t);
    ELSIF t.place = 3 THEN t := mcpwire.end_task_itself(t, p_now, 'failed', '${TaskEnding.NotAnswered}');
    ELSE t := mcpwire.end_task_itself(t, p_now, 'failed', '${TaskEnding.NotRun}');
    END IF;
  END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION mcpwire.settle_due() RETURNS void LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task; v_now float8 := mcpwire.now_ms();
BEGIN
  FOR t IN SELECT * FROM mcpwire.task WHERE due_at <= v_now AND place <> 4 ORDER BY due_at LIMIT ${MAX_SETTLED} FOR UPDATE SKIP LOCKED LOOP
    PERFORM mcpwire.settle_task(t, v_now);
  END LOOP;
END $$;

CREATE FUNCTION mcpwire.find_task(p_ns text, p_id text) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task;
BEGIN
  SELECT * INTO t FROM mcpwire.task WHERE ns = p_ns AND id = p_id FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN mcpwire.settle_task(t, mcpwire.now_ms());
END $$;

-- Without a lock where nothing is due: a claim passes over rows that are locked.
CREATE FUNCTION mcpwire.peek_task(p_ns text, p_id text) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task;
BEGIN
  SELECT * INTO t FROM mcpwire.task WHERE ns = p_ns AND id = p_id;
  IF t.due_at <= mcpwire.now_ms() THEN RETURN mcpwire.find_task(p_ns, p_id); END IF;
  RETURN t;
END $$;

-- Whoever comes with the claim has not lost it, however late it is, unless somebody else has claimed or ended the task.
CREATE FUNCTION mcpwire.held_task(p_ns text, p_id text, p_attempt float8) RETURNS mcpwire.task LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task;
BEGIN
  SELECT * INTO t FROM mcpwire.task WHERE ns = p_ns AND id = p_id AND attempt = p_attempt AND place IN (1, 2) FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF t.cancelled_at <= mcpwire.now_ms() THEN
    PERFORM mcpwire.end_task_itself(t, mcpwire.now_ms(), 'cancelled', NULL);
    RETURN NULL;
  END IF;
  RETURN t;
END $$;

-- The first value of a name stays. How many were new.
CREATE FUNCTION mcpwire.keep_parts(p_task bigint, p_type int, p_parts text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v_new bigint;
BEGIN
  INSERT INTO mcpwire.task_part SELECT p_task, p_type, pair->>0, pair->>1 FROM json_array_elements(p_parts::json) AS given (pair)
    ON CONFLICT (task, type, md5(name)) DO NOTHING;
  GET DIAGNOSTICS v_new = ROW_COUNT;
  RETURN v_new;
END $$;

CREATE FUNCTION mcpwire.create_task(p_ns text, p_id text, p_owner text, p_kind text, p_dialect text, p_ttl float8, p_keep float8,
  p_attempts float8, p_delay float8, p_poll float8, p_lease float8, p_input text, p_steps text, p_answers text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task; v_now float8; v_begun int := CASE WHEN p_lease IS NULL THEN 0 ELSE 1 END;
BEGIN
  LOOP
    v_now := mcpwire.now_ms();
    INSERT INTO mcpwire.task (ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at,
      ttl_ms, poll_interval_ms, place, attempt, tries, lease_ends_at, has_parts, queue_at, due_at, input)
    VALUES (p_ns, p_id, p_owner, p_kind, p_dialect, p_ttl, p_keep, p_attempts, v_now + p_delay, v_now, v_now,
      p_ttl, p_poll, v_begun, v_begun, v_begun, v_now + p_lease, p_steps IS NOT NULL OR p_answers IS NOT NULL,
      CASE WHEN p_lease IS NULL THEN v_now + p_delay END, v_now + coalesce(p_lease, p_ttl, ${LONGEST_MS}), p_input)
    ON CONFLICT (ns, id) DO NOTHING RETURNING * INTO t;
    IF FOUND THEN
      IF p_steps IS NOT NULL THEN PERFORM mcpwire.keep_parts(t.n, 1, p_steps); END IF;
      IF p_answers IS NOT NULL THEN PERFORM mcpwire.keep_parts(t.n, 2, p_answers); END IF;
      RETURN 'made';
    END IF;
    t := mcpwire.peek_task(p_ns, p_id);
    CONTINUE WHEN t.n IS NULL;
    -- One that has ended has no input to compare any more.
    IF (t.owner, t.kind, t.dialect, t.keep_ms, t.max_attempts) <> (p_owner, p_kind, p_dialect, p_keep, p_attempts)
      OR t.given_ttl_ms IS DISTINCT FROM p_ttl OR (t.place <> 4 AND t.input <> p_input) THEN RETURN 'other'; END IF;
    RETURN CASE WHEN t.place = 1 AND t.attempt = 1 THEN 'claimed' ELSE 'same' END;
  END LOOP;
END $$;

CREATE FUNCTION mcpwire.discard_task(p_ns text, p_id text, p_attempt float8) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  DELETE FROM mcpwire.task WHERE n = t.n;
  IF t.has_parts THEN DELETE FROM mcpwire.task_part WHERE task = t.n; END IF;
  RETURN true;
END $$;

CREATE FUNCTION mcpwire.list_tasks(p_ns text, p_owner text, p_dialect text, p_after text, p_from float8, p_limit float8)
RETURNS SETOF mcpwire.task LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task; v_after mcpwire.task; v_count int := 0;
BEGIN
  IF p_after IS NOT NULL THEN
    SELECT * INTO v_after FROM mcpwire.task WHERE ns = p_ns AND id = p_after AND owner = p_owner AND dialect = p_dialect;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  FOR t IN SELECT * FROM mcpwire.task WHERE ns = p_ns AND owner = p_owner AND dialect = p_dialect
    AND (created_at, n) > (coalesce(v_after.created_at, p_from, 0), coalesce(v_after.n, -1)) ORDER BY created_at, n LOOP
    EXIT WHEN v_count >= p_limit;
    IF t.due_at <= mcpwire.now_ms() THEN t := mcpwire.find_task(p_ns, t.id); END IF;
    CONTINUE WHEN t.n IS NULL;
    v_count := v_count + 1;
    RETURN NEXT t;
  END LOOP;
END $$;

CREATE FUNCTION mcpwire.count_open(p_ns text, p_owner text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mcpwire.settle_due();
  IF p_owner IS NULL THEN RETURN (SELECT count(*) FROM mcpwire.task WHERE ns = p_ns AND place <> 4); END IF;
  RETURN (SELECT count(*) FROM mcpwire.task WHERE ns = p_ns AND owner = p_owner AND place <> 4);
END $$;

CREATE FUNCTION mcpwire.claim_tasks(p_ns text, p_kinds text, p_max float8, p_lease float8)
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

CREATE FUNCTION mcpwire.renew_task(p_ns text, p_id text, p_attempt float8, p_lease float8, p_message text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.held_task(p_ns, p_id, p_attempt); v_now float8 := mcpwire.now_ms(); v_needed float8; v_is_news boolean;
BEGIN
  IF t.n IS NULL THEN RETURN 'lost'; END IF;
  v_needed := v_now - t.created_at + t.keep_ms;
  v_is_news := p_message IS DISTINCT FROM t.status_message AND p_message IS NOT NULL;
  t.place := 1;
  t.lease_ends_at := v_now + p_lease;
  IF v_is_news THEN t.status_message := p_message; END IF;
  IF t.ttl_ms < v_needed THEN
    t.ttl_ms := v_needed + greatest(t.keep_ms, ${TTL_STEP_MS});
    v_is_news := true;
  END IF;
  IF v_is_news THEN t := mcpwire.touch_task(t, v_now); END IF;
  PERFORM mcpwire.save_task(t);
  RETURN CASE WHEN t.cancelled_at IS NOT NULL THEN 'cancelling' WHEN v_is_news THEN 'changed' ELSE 'held' END;
END $$;

-- -1 as the time: no limit.
CREATE FUNCTION mcpwire.extend_task(p_ns text, p_id text, p_attempt float8, p_ttl float8, p_poll float8) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  IF p_ttl = -1 THEN t.ttl_ms := NULL;
  ELSIF t.ttl_ms < p_ttl THEN t.ttl_ms := p_ttl;
  END IF;
  t.poll_interval_ms := coalesce(p_poll, t.poll_interval_ms);
  PERFORM mcpwire.save_task(mcpwire.touch_task(t, mcpwire.now_ms()));
  RETURN true;
END $$;

CREATE FUNCTION mcpwire.keep_step(p_ns text, p_id text, p_attempt float8, p_step text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  PERFORM mcpwire.keep_parts(t.n, 1, p_step);
  IF NOT t.has_parts THEN UPDATE mcpwire.task SET has_parts = true WHERE n = t.n; END IF;
  RETURN true;
END $$;

CREATE FUNCTION mcpwire.read_journal(p_ns text, p_id text, p_attempt float8)
RETURNS TABLE (id text, kind text, input text, attempt float8, steps text, answers text) LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NOT NULL THEN RETURN QUERY SELECT ${CLAIMED}; END IF;
END $$;

CREATE FUNCTION mcpwire.ask(p_ns text, p_id text, p_attempt float8, p_questions text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.held_task(p_ns, p_id, p_attempt); v_fresh text;
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  SELECT json_agg(pair)::text INTO v_fresh FROM json_array_elements(p_questions::json) AS given (pair)
    WHERE NOT EXISTS (SELECT FROM mcpwire.task_part WHERE task = t.n AND type IN (2, 3) AND md5(name) = md5(pair->>0));
  t.was_answered := false;
  IF v_fresh IS NOT NULL THEN
    PERFORM mcpwire.keep_parts(t.n, 3, v_fresh);
    t.has_parts := true;
    t.status := 'input_required';
    t := mcpwire.touch_task(t, mcpwire.now_ms());
  END IF;
  PERFORM mcpwire.save_task(t);
  RETURN true;
END $$;

CREATE FUNCTION mcpwire.answer(p_ns text, p_id text, p_answers text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.find_task(p_ns, p_id); v_taken text;
BEGIN
  IF t.n IS NULL THEN RETURN 'unknown'; END IF;
  IF t.place = 4 THEN RETURN 'ended'; END IF;
  WITH taken AS (
    DELETE FROM mcpwire.task_part USING json_array_elements(p_answers::json) AS given (pair)
    WHERE task = t.n AND type = 3 AND md5(name) = md5(pair->>0) AND name = pair->>0 RETURNING pair
  ) SELECT json_agg(pair)::text INTO v_taken FROM taken;
  IF v_taken IS NULL THEN RETURN 'taken'; END IF;
  PERFORM mcpwire.keep_parts(t.n, 2, v_taken);
  t.was_answered := true;
  IF NOT EXISTS (SELECT FROM mcpwire.task_part WHERE task = t.n AND type = 3) THEN t.status := 'working'; END IF;
  IF t.place = 3 THEN t.place := 0; END IF;
  PERFORM mcpwire.save_task(mcpwire.touch_task(t, mcpwire.now_ms()));
  RETURN 'taken';
END $$;

-- Back to the queue, or aside until an answer comes.
CREATE FUNCTION mcpwire.give_back(p_ns text, p_id text, p_attempt float8, p_may_park boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  IF t.cancelled_at IS NOT NULL THEN
    PERFORM mcpwire.end_task_itself(t, mcpwire.now_ms(), 'cancelled', NULL);
    RETURN true;
  END IF;
  t.tries := t.tries - 1;
  t.lease_ends_at := NULL;
  t.place := 0;
  IF p_may_park AND NOT t.was_answered AND EXISTS (SELECT FROM mcpwire.task_part WHERE task = t.n AND type = 3) THEN t.place := 3; END IF;
  PERFORM mcpwire.save_task(t);
  RETURN true;
END $$;

CREATE FUNCTION mcpwire.finish_task(p_ns text, p_id text, p_attempt float8, p_status text, p_outcome text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NOT NULL THEN
    PERFORM mcpwire.end_task(t, mcpwire.now_ms(), p_status, p_outcome);
    RETURN 'finished';
  END IF;
  t := mcpwire.peek_task(p_ns, p_id);
  RETURN CASE WHEN t.place = 4 THEN 'already' ELSE 'lost' END;
END $$;

CREATE FUNCTION mcpwire.cancel_task(p_ns text, p_id text, p_grace float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t mcpwire.task := mcpwire.find_task(p_ns, p_id);
BEGIN
  IF t.n IS NULL THEN RETURN 'unknown'; END IF;
  IF t.place = 4 THEN RETURN 'ended'; END IF;
  IF t.place = 1 THEN
    IF t.cancelled_at IS NULL THEN t.revision := t.revision + 1; END IF;
    t.cancelled_at := least(t.cancelled_at, mcpwire.now_ms() + p_grace);
    PERFORM mcpwire.save_task(t);
    RETURN 'cancelling';
  END IF;
  PERFORM mcpwire.end_task_itself(t, mcpwire.now_ms(), 'cancelled', NULL);
  RETURN 'cancelled';
END $$;
`

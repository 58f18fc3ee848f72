SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA mcpwire;
CREATE FUNCTION mcpwire.answer(p_ns text, p_id text, p_answers text) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".find_task(p_ns, p_id); v_taken text;
BEGIN
  IF t.n IS NULL THEN RETURN 'unknown'; END IF;
  IF t.place = 4 THEN RETURN 'ended'; END IF;
  WITH taken AS (
    DELETE FROM "mcpwire".task_part USING json_array_elements(p_answers::json) AS given (pair)
    WHERE task = t.n AND type = 3 AND md5(name) = md5(pair->>0) AND name = pair->>0 RETURNING pair
  ) SELECT json_agg(pair)::text INTO v_taken FROM taken;
  IF v_taken IS NULL THEN RETURN 'taken'; END IF;
  PERFORM "mcpwire".keep_parts(t.n, 2, v_taken);
  t.was_answered := true;
  IF NOT EXISTS (SELECT FROM "mcpwire".task_part WHERE task = t.n AND type = 3) THEN t.status := 'working'; END IF;
  IF t.place = 3 THEN t.place := 0; END IF;
  PERFORM "mcpwire".save_task("mcpwire".touch_task(t, "mcpwire".now_ms()));
  RETURN 'taken';
END $$;
CREATE FUNCTION mcpwire.append_entry(p_ns text, p_name text, p_seq double precision, p_data text, p_bytes double precision, p_writer text, p_ttl double precision, p_last boolean) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE v_log "mcpwire".log;
BEGIN
  -- A gap makes no log.
  IF p_seq > 1 AND NOT EXISTS (SELECT FROM "mcpwire".log WHERE ns = p_ns AND name = p_name) THEN RETURN 'conflict'; END IF;
  v_log := "mcpwire".lock_log(p_ns, p_name);
  IF p_seq <= v_log.last_seq THEN
    IF EXISTS (SELECT FROM "mcpwire".entry WHERE log = v_log.n AND seq = p_seq AND writer = p_writer) THEN RETURN 'already'; END IF;
    RETURN 'conflict';
  END IF;
  IF p_seq > v_log.last_seq + 1 OR v_log.is_ended THEN
    IF v_log.last_seq = 0 THEN DELETE FROM "mcpwire".log WHERE n = v_log.n; END IF;
    RETURN 'conflict';
  END IF;
  INSERT INTO "mcpwire".entry VALUES (v_log.n, p_seq, p_writer, 0, p_bytes, p_data);
  UPDATE "mcpwire".log SET last_seq = p_seq, bytes = bytes + p_bytes, is_ended = p_last, expires_at = "mcpwire".now_ms() + p_ttl
    WHERE n = v_log.n;
  RETURN 'kept';
END $$;
CREATE FUNCTION mcpwire.ask(p_ns text, p_id text, p_attempt double precision, p_questions text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".held_task(p_ns, p_id, p_attempt); v_fresh text;
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  SELECT json_agg(pair)::text INTO v_fresh FROM json_array_elements(p_questions::json) AS given (pair)
    WHERE NOT EXISTS (SELECT FROM "mcpwire".task_part WHERE task = t.n AND type IN (2, 3) AND md5(name) = md5(pair->>0));
  t.was_answered := false;
  IF v_fresh IS NOT NULL THEN
    PERFORM "mcpwire".keep_parts(t.n, 3, v_fresh);
    t.has_parts := true;
    t.status := 'input_required';
    t := "mcpwire".touch_task(t, "mcpwire".now_ms());
  END IF;
  PERFORM "mcpwire".save_task(t);
  RETURN true;
END $$;
CREATE FUNCTION mcpwire.cancel_task(p_ns text, p_id text, p_grace double precision) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".find_task(p_ns, p_id);
BEGIN
  IF t.n IS NULL THEN RETURN 'unknown'; END IF;
  IF t.place = 4 THEN RETURN 'ended'; END IF;
  IF t.place = 1 THEN
    IF t.cancelled_at IS NULL THEN t.revision := t.revision + 1; END IF;
    t.cancelled_at := least(t.cancelled_at, "mcpwire".now_ms() + p_grace);
    PERFORM "mcpwire".save_task(t);
    RETURN 'cancelling';
  END IF;
  PERFORM "mcpwire".end_task_itself(t, "mcpwire".now_ms(), 'cancelled', NULL);
  RETURN 'cancelled';
END $$;
CREATE FUNCTION mcpwire.claim_tasks(p_ns text, p_kinds text, p_max double precision, p_lease double precision) RETURNS TABLE(id text, kind text, input text, attempt double precision, steps text, answers text)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE v_now float8;
BEGIN
  PERFORM "mcpwire".settle_due();
  v_now := "mcpwire".now_ms();
  RETURN QUERY WITH picked AS (
    SELECT n, queue_at FROM "mcpwire".task WHERE queue_at <= v_now AND due_at > v_now AND n = ANY (ARRAY(
      SELECT first.n FROM json_array_elements_text(p_kinds::json) AS wanted (kind) CROSS JOIN LATERAL (
        SELECT waiting.n, waiting.queue_at FROM "mcpwire".task waiting
        WHERE waiting.ns = p_ns AND waiting.kind = wanted.kind AND waiting.queue_at <= v_now AND waiting.due_at > v_now
        ORDER BY waiting.queue_at, waiting.n LIMIT p_max + 100) first))
    ORDER BY queue_at, n LIMIT p_max FOR UPDATE SKIP LOCKED
  ), t AS (
    UPDATE "mcpwire".task SET place = 1, attempt = task.attempt + 1, tries = task.tries + 1, lease_ends_at = v_now + p_lease,
      queue_at = NULL, due_at = v_now + p_lease FROM picked WHERE task.n = picked.n
    RETURNING task.n, task.id, task.kind, task.input, task.attempt, task.has_parts, picked.queue_at
  ) SELECT t.id, t.kind, t.input, t.attempt,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM "mcpwire".task_part WHERE task = t.n AND type = 1)::text END,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM "mcpwire".task_part WHERE task = t.n AND type = 2)::text END FROM t ORDER BY t.queue_at, t.n;
  -- Somebody may hold for a moment what stays ready.
  IF NOT FOUND THEN
    RETURN QUERY WITH picked AS (
    SELECT n, queue_at FROM "mcpwire".task WHERE queue_at <= v_now AND due_at > v_now AND n = ANY (ARRAY(
      SELECT first.n FROM json_array_elements_text(p_kinds::json) AS wanted (kind) CROSS JOIN LATERAL (
        SELECT waiting.n, waiting.queue_at FROM "mcpwire".task waiting
        WHERE waiting.ns = p_ns AND waiting.kind = wanted.kind AND waiting.queue_at <= v_now AND waiting.due_at > v_now
        ORDER BY waiting.queue_at, waiting.n LIMIT p_max + 100) first))
    ORDER BY queue_at, n LIMIT p_max FOR UPDATE 
  ), t AS (
    UPDATE "mcpwire".task SET place = 1, attempt = task.attempt + 1, tries = task.tries + 1, lease_ends_at = v_now + p_lease,
      queue_at = NULL, due_at = v_now + p_lease FROM picked WHERE task.n = picked.n
    RETURNING task.n, task.id, task.kind, task.input, task.attempt, task.has_parts, picked.queue_at
  ) SELECT t.id, t.kind, t.input, t.attempt,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM "mcpwire".task_part WHERE task = t.n AND type = 1)::text END,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM "mcpwire".task_part WHERE task = t.n AND type = 2)::text END FROM t ORDER BY t.queue_at, t.n;
  END IF;
END $$;
CREATE FUNCTION mcpwire.count_open(p_ns text, p_owner text) RETURNS double precision
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM "mcpwire".settle_due();
  IF p_owner IS NULL THEN RETURN (SELECT count(*) FROM "mcpwire".task WHERE ns = p_ns AND place <> 4); END IF;
  RETURN (SELECT count(*) FROM "mcpwire".task WHERE ns = p_ns AND owner = p_owner AND place <> 4);
END $$;
CREATE FUNCTION mcpwire.create_task(p_ns text, p_id text, p_owner text, p_kind text, p_dialect text, p_ttl double precision, p_keep double precision, p_attempts double precision, p_delay double precision, p_poll double precision, p_lease double precision, p_input text, p_steps text, p_answers text) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task; v_now float8; v_begun int := CASE WHEN p_lease IS NULL THEN 0 ELSE 1 END;
BEGIN
  LOOP
    v_now := "mcpwire".now_ms();
    INSERT INTO "mcpwire".task (ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at,
      ttl_ms, poll_interval_ms, place, attempt, tries, lease_ends_at, has_parts, queue_at, due_at, input)
    VALUES (p_ns, p_id, p_owner, p_kind, p_dialect, p_ttl, p_keep, p_attempts, v_now + p_delay, v_now, v_now,
      p_ttl, p_poll, v_begun, v_begun, v_begun, v_now + p_lease, p_steps IS NOT NULL OR p_answers IS NOT NULL,
      CASE WHEN p_lease IS NULL THEN v_now + p_delay END, v_now + coalesce(p_lease, p_ttl, 34560000000), p_input)
    ON CONFLICT (ns, id) DO NOTHING RETURNING * INTO t;
    IF FOUND THEN
      IF p_steps IS NOT NULL THEN PERFORM "mcpwire".keep_parts(t.n, 1, p_steps); END IF;
      IF p_answers IS NOT NULL THEN PERFORM "mcpwire".keep_parts(t.n, 2, p_answers); END IF;
      RETURN 'made';
    END IF;
    t := "mcpwire".peek_task(p_ns, p_id);
    CONTINUE WHEN t.n IS NULL;
    -- One that has ended has no input to compare any more.
    IF (t.owner, t.kind, t.dialect, t.keep_ms, t.max_attempts) <> (p_owner, p_kind, p_dialect, p_keep, p_attempts)
      OR t.given_ttl_ms IS DISTINCT FROM p_ttl OR (t.place <> 4 AND t.input <> p_input) THEN RETURN 'other'; END IF;
    RETURN CASE WHEN t.place = 1 AND t.attempt = 1 THEN 'claimed' ELSE 'same' END;
  END LOOP;
END $$;
CREATE FUNCTION mcpwire.discard_task(p_ns text, p_id text, p_attempt double precision) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  DELETE FROM "mcpwire".task WHERE n = t.n;
  IF t.has_parts THEN DELETE FROM "mcpwire".task_part WHERE task = t.n; END IF;
  RETURN true;
END $$;
CREATE FUNCTION mcpwire.drop_log(p_ns text, p_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE v_n bigint;
BEGIN
  SELECT n INTO v_n FROM "mcpwire".log WHERE ns = p_ns AND name = p_name FOR UPDATE;
  DELETE FROM "mcpwire".entry WHERE log = v_n;
  DELETE FROM "mcpwire".log WHERE n = v_n;
END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE mcpwire.task (
    n bigint NOT NULL,
    ns text NOT NULL,
    id text NOT NULL,
    owner text NOT NULL,
    kind text NOT NULL,
    dialect text NOT NULL,
    given_ttl_ms double precision,
    keep_ms double precision NOT NULL,
    max_attempts double precision NOT NULL,
    claimable_at double precision NOT NULL,
    created_at double precision NOT NULL,
    updated_at double precision NOT NULL,
    ttl_ms double precision,
    poll_interval_ms double precision NOT NULL,
    place integer NOT NULL,
    status text DEFAULT 'working'::text NOT NULL,
    status_message text,
    attempt double precision NOT NULL,
    tries double precision NOT NULL,
    revision double precision DEFAULT 1 NOT NULL,
    lease_ends_at double precision,
    cancelled_at double precision,
    was_answered boolean DEFAULT false NOT NULL,
    has_parts boolean DEFAULT false NOT NULL,
    queue_at double precision,
    due_at double precision NOT NULL,
    input text NOT NULL,
    outcome text
);
CREATE FUNCTION mcpwire.end_task(t mcpwire.task, p_now double precision, p_status text, p_outcome text) RETURNS mcpwire.task
    LANGUAGE plpgsql
    AS $$
BEGIN
  t.place := 4;
  t.status := p_status;
  -- The time on the wire grows, so that a result that is fresh is never dropped.
  IF t.ttl_ms < p_now - t.created_at + t.keep_ms THEN t.ttl_ms := p_now - t.created_at + t.keep_ms; END IF;
  t := "mcpwire".touch_task(t, p_now);
  t.input := '';
  t.outcome := p_outcome;
  IF t.has_parts THEN DELETE FROM "mcpwire".task_part WHERE task = t.n; END IF;
  t.has_parts := false;
  RETURN "mcpwire".save_task(t);
END $$;
CREATE FUNCTION mcpwire.end_task_itself(t mcpwire.task, p_now double precision, p_status text, p_message text) RETURNS mcpwire.task
    LANGUAGE plpgsql
    AS $$
BEGIN
  t.attempt := t.attempt + 1;
  t.status_message := coalesce(p_message, t.status_message);
  RETURN "mcpwire".end_task(t, p_now, p_status, NULL);
END $$;
CREATE FUNCTION mcpwire.extend_task(p_ns text, p_id text, p_attempt double precision, p_ttl double precision, p_poll double precision) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  IF p_ttl = -1 THEN t.ttl_ms := NULL;
  ELSIF t.ttl_ms < p_ttl THEN t.ttl_ms := p_ttl;
  END IF;
  t.poll_interval_ms := coalesce(p_poll, t.poll_interval_ms);
  PERFORM "mcpwire".save_task("mcpwire".touch_task(t, "mcpwire".now_ms()));
  RETURN true;
END $$;
CREATE FUNCTION mcpwire.find_task(p_ns text, p_id text) RETURNS mcpwire.task
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task;
BEGIN
  SELECT * INTO t FROM "mcpwire".task WHERE ns = p_ns AND id = p_id FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN "mcpwire".settle_task(t, "mcpwire".now_ms());
END $$;
CREATE FUNCTION mcpwire.finish_task(p_ns text, p_id text, p_attempt double precision, p_status text, p_outcome text) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NOT NULL THEN
    PERFORM "mcpwire".end_task(t, "mcpwire".now_ms(), p_status, p_outcome);
    RETURN 'finished';
  END IF;
  t := "mcpwire".peek_task(p_ns, p_id);
  RETURN CASE WHEN t.place = 4 THEN 'already' ELSE 'lost' END;
END $$;
CREATE FUNCTION mcpwire.give_back(p_ns text, p_id text, p_attempt double precision, p_may_park boolean) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  IF t.cancelled_at IS NOT NULL THEN
    PERFORM "mcpwire".end_task_itself(t, "mcpwire".now_ms(), 'cancelled', NULL);
    RETURN true;
  END IF;
  t.tries := t.tries - 1;
  t.lease_ends_at := NULL;
  t.place := 0;
  IF p_may_park AND NOT t.was_answered AND EXISTS (SELECT FROM "mcpwire".task_part WHERE task = t.n AND type = 3) THEN t.place := 3; END IF;
  PERFORM "mcpwire".save_task(t);
  RETURN true;
END $$;
CREATE FUNCTION mcpwire.held_task(p_ns text, p_id text, p_attempt double precision) RETURNS mcpwire.task
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task;
BEGIN
  SELECT * INTO t FROM "mcpwire".task WHERE ns = p_ns AND id = p_id AND attempt = p_attempt AND place IN (1, 2) FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF t.cancelled_at <= "mcpwire".now_ms() THEN
    PERFORM "mcpwire".end_task_itself(t, "mcpwire".now_ms(), 'cancelled', NULL);
    RETURN NULL;
  END IF;
  RETURN t;
END $$;
CREATE FUNCTION mcpwire.hold(p_ns text, p_key text, p_holder text, p_max double precision, p_ttl double precision) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE v_now float8;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('"mcpwire".hold ' || p_ns || ' ' || p_key, 0));
  v_now := "mcpwire".now_ms();
  UPDATE "mcpwire".hold SET expires_at = v_now + p_ttl WHERE ns = p_ns AND key = p_key AND holder = p_holder AND expires_at > v_now;
  IF FOUND THEN RETURN true; END IF;
  IF (SELECT count(*) FROM "mcpwire".hold WHERE ns = p_ns AND key = p_key AND expires_at > v_now) >= p_max THEN RETURN false; END IF;
  INSERT INTO "mcpwire".hold VALUES (p_ns, p_key, p_holder, v_now + p_ttl)
    ON CONFLICT (ns, key, holder) DO UPDATE SET expires_at = v_now + p_ttl;
  RETURN true;
END $$;
CREATE FUNCTION mcpwire.keep_parts(p_task bigint, p_type integer, p_parts text) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE v_new bigint;
BEGIN
  INSERT INTO "mcpwire".task_part SELECT p_task, p_type, pair->>0, pair->>1 FROM json_array_elements(p_parts::json) AS given (pair)
    ON CONFLICT (task, type, md5(name)) DO NOTHING;
  GET DIAGNOSTICS v_new = ROW_COUNT;
  RETURN v_new;
END $$;
CREATE FUNCTION mcpwire.keep_step(p_ns text, p_id text, p_attempt double precision, p_step text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NULL THEN RETURN false; END IF;
  PERFORM "mcpwire".keep_parts(t.n, 1, p_step);
  IF NOT t.has_parts THEN UPDATE "mcpwire".task SET has_parts = true WHERE n = t.n; END IF;
  RETURN true;
END $$;
CREATE FUNCTION mcpwire.list_tasks(p_ns text, p_owner text, p_dialect text, p_after text, p_from double precision, p_limit double precision) RETURNS SETOF mcpwire.task
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task; v_after "mcpwire".task; v_count int := 0;
BEGIN
  IF p_after IS NOT NULL THEN
    SELECT * INTO v_after FROM "mcpwire".task WHERE ns = p_ns AND id = p_after AND owner = p_owner AND dialect = p_dialect;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  FOR t IN SELECT * FROM "mcpwire".task WHERE ns = p_ns AND owner = p_owner AND dialect = p_dialect
    AND (created_at, n) > (coalesce(v_after.created_at, p_from, 0), coalesce(v_after.n, -1)) ORDER BY created_at, n LOOP
    EXIT WHEN v_count >= p_limit;
    IF t.due_at <= "mcpwire".now_ms() THEN t := "mcpwire".find_task(p_ns, t.id); END IF;
    CONTINUE WHEN t.n IS NULL;
    v_count := v_count + 1;
    RETURN NEXT t;
  END LOOP;
END $$;
CREATE TABLE mcpwire.log (
    n bigint NOT NULL,
    ns text NOT NULL,
    name text NOT NULL,
    first_seq double precision DEFAULT 1 NOT NULL,
    last_seq double precision DEFAULT 0 NOT NULL,
    bytes double precision DEFAULT 0 NOT NULL,
    is_ended boolean DEFAULT false NOT NULL,
    expires_at double precision NOT NULL
);
CREATE FUNCTION mcpwire.lock_log(p_ns text, p_name text) RETURNS mcpwire.log
    LANGUAGE plpgsql
    AS $$
DECLARE v_log "mcpwire".log; v_now float8;
BEGIN
  LOOP
    SELECT * INTO v_log FROM "mcpwire".log WHERE ns = p_ns AND name = p_name FOR UPDATE;
    v_now := "mcpwire".now_ms();
    IF FOUND THEN
      IF v_log.expires_at > v_now THEN RETURN v_log; END IF;
      DELETE FROM "mcpwire".entry WHERE log = v_log.n;
      DELETE FROM "mcpwire".log WHERE n = v_log.n;
    END IF;
    INSERT INTO "mcpwire".log (ns, name, expires_at) VALUES (p_ns, p_name, v_now + 60000)
      ON CONFLICT (ns, name) DO NOTHING RETURNING * INTO v_log;
    IF FOUND THEN RETURN v_log; END IF;
  END LOOP;
END $$;
CREATE FUNCTION mcpwire.now_ms() RETURNS double precision
    LANGUAGE sql
    AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8
$$;
CREATE FUNCTION mcpwire.peek_task(p_ns text, p_id text) RETURNS mcpwire.task
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task;
BEGIN
  SELECT * INTO t FROM "mcpwire".task WHERE ns = p_ns AND id = p_id;
  IF t.due_at <= "mcpwire".now_ms() THEN RETURN "mcpwire".find_task(p_ns, p_id); END IF;
  RETURN t;
END $$;
CREATE FUNCTION mcpwire.post_entry(p_ns text, p_name text, p_data text, p_bytes double precision, p_writer text, p_nth double precision, p_ttl double precision, p_entries double precision, p_most double precision) RETURNS double precision
    LANGUAGE plpgsql
    AS $$
DECLARE v_log "mcpwire".log; v_seq float8; v_first float8; v_bytes float8; v_entry record;
BEGIN
  v_log := "mcpwire".lock_log(p_ns, p_name);
  SELECT seq INTO v_seq FROM "mcpwire".entry WHERE log = v_log.n AND writer = p_writer AND nth = p_nth AND nth > 0;
  IF FOUND THEN RETURN v_seq; END IF;
  IF v_log.is_ended THEN RETURN 0; END IF;
  v_seq := v_log.last_seq + 1;
  v_first := v_log.first_seq;
  v_bytes := v_log.bytes + p_bytes;
  INSERT INTO "mcpwire".entry VALUES (v_log.n, v_seq, p_writer, p_nth, p_bytes, p_data);
  IF v_seq - v_first + 1 > p_entries OR v_bytes > p_most THEN
    FOR v_entry IN SELECT seq, bytes FROM "mcpwire".entry WHERE log = v_log.n AND seq >= v_first ORDER BY seq LOOP
      -- The newest entry stays, however large it is.
      EXIT WHEN v_entry.seq = v_seq OR (v_seq - v_first + 1 <= p_entries AND v_bytes <= p_most);
      v_first := v_entry.seq + 1;
      v_bytes := v_bytes - v_entry.bytes;
    END LOOP;
    -- Entries that had to go are known for a while without their text, so that a late repeat is recognised.
    UPDATE "mcpwire".entry SET data = '', bytes = 0 WHERE log = v_log.n AND seq >= v_log.first_seq AND seq < v_first;
    DELETE FROM "mcpwire".entry WHERE log = v_log.n AND seq < v_first - 64;
  END IF;
  UPDATE "mcpwire".log SET first_seq = v_first, last_seq = v_seq, bytes = v_bytes, expires_at = "mcpwire".now_ms() + p_ttl WHERE n = v_log.n;
  RETURN v_seq;
END $$;
CREATE FUNCTION mcpwire.put_record(p_ns text, p_key text, p_value text, p_revision text, p_ttl double precision, p_expected text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE v_now float8 := "mcpwire".now_ms();
BEGIN
  IF p_expected IS NULL THEN
    INSERT INTO "mcpwire".record AS r VALUES (p_ns, p_key, p_value, p_revision, v_now + p_ttl)
      ON CONFLICT (ns, key) DO UPDATE SET value = p_value, revision = p_revision, expires_at = v_now + p_ttl
      WHERE r.expires_at <= v_now;
  ELSE
    UPDATE "mcpwire".record SET value = p_value, revision = p_revision, expires_at = v_now + p_ttl
      WHERE ns = p_ns AND key = p_key AND revision = p_expected AND expires_at > v_now;
  END IF;
  IF FOUND THEN RETURN true; END IF;
  -- The very revision is there: this is the repeat of a put that was done.
  RETURN EXISTS (SELECT FROM "mcpwire".record WHERE ns = p_ns AND key = p_key AND revision = p_revision AND expires_at > v_now);
END $$;
CREATE FUNCTION mcpwire.read_journal(p_ns text, p_id text, p_attempt double precision) RETURNS TABLE(id text, kind text, input text, attempt double precision, steps text, answers text)
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".held_task(p_ns, p_id, p_attempt);
BEGIN
  IF t.n IS NOT NULL THEN RETURN QUERY SELECT t.id, t.kind, t.input, t.attempt,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM "mcpwire".task_part WHERE task = t.n AND type = 1)::text END,
  CASE WHEN t.has_parts THEN (SELECT json_object_agg(name, value) FROM "mcpwire".task_part WHERE task = t.n AND type = 2)::text END; END IF;
END $$;
CREATE FUNCTION mcpwire.renew_task(p_ns text, p_id text, p_attempt double precision, p_lease double precision, p_message text) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task := "mcpwire".held_task(p_ns, p_id, p_attempt); v_now float8 := "mcpwire".now_ms(); v_needed float8; v_is_news boolean;
BEGIN
  IF t.n IS NULL THEN RETURN 'lost'; END IF;
  v_needed := v_now - t.created_at + t.keep_ms;
  v_is_news := p_message IS DISTINCT FROM t.status_message AND p_message IS NOT NULL;
  t.place := 1;
  t.lease_ends_at := v_now + p_lease;
  IF v_is_news THEN t.status_message := p_message; END IF;
  IF t.ttl_ms < v_needed THEN
    t.ttl_ms := v_needed + greatest(t.keep_ms, 60000);
    v_is_news := true;
  END IF;
  IF v_is_news THEN t := "mcpwire".touch_task(t, v_now); END IF;
  PERFORM "mcpwire".save_task(t);
  RETURN CASE WHEN t.cancelled_at IS NOT NULL THEN 'cancelling' WHEN v_is_news THEN 'changed' ELSE 'held' END;
END $$;
CREATE FUNCTION mcpwire.save_task(t mcpwire.task) RETURNS mcpwire.task
    LANGUAGE plpgsql
    AS $$
DECLARE v_end float8 := t.created_at + coalesce(t.ttl_ms, 34560000000);
BEGIN
  t.queue_at := CASE t.place WHEN 0 THEN t.claimable_at WHEN 2 THEN t.claimable_at - 1e14 END;
  t.due_at := CASE t.place WHEN 1 THEN least(t.lease_ends_at, t.cancelled_at) WHEN 2 THEN t.created_at + 34560000000
    WHEN 4 THEN greatest(v_end, t.updated_at + t.keep_ms) ELSE v_end END;
  UPDATE "mcpwire".task SET updated_at = t.updated_at, ttl_ms = t.ttl_ms, poll_interval_ms = t.poll_interval_ms, place = t.place,
    status = t.status, status_message = t.status_message, attempt = t.attempt, tries = t.tries, revision = t.revision,
    lease_ends_at = t.lease_ends_at, cancelled_at = t.cancelled_at, was_answered = t.was_answered, has_parts = t.has_parts,
    queue_at = t.queue_at, due_at = t.due_at, input = t.input, outcome = t.outcome WHERE n = t.n;
  RETURN t;
END $$;
CREATE FUNCTION mcpwire.send(p_ns text, p_messages text, p_channel text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE v_last bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(hashtextextended('"mcpwire".send ' || p_channel, 0));
  SELECT coalesce(max(n), 0) INTO v_last FROM "mcpwire".message;
  INSERT INTO "mcpwire".message
    SELECT v_last + place, p_ns, pair->>0, pair->>1, "mcpwire".now_ms()
    FROM json_array_elements(p_messages::json) WITH ORDINALITY AS given (pair, place);
  PERFORM pg_notify(p_channel, '');
END $$;
CREATE FUNCTION mcpwire.settle_due() RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE t "mcpwire".task; v_now float8 := "mcpwire".now_ms();
BEGIN
  FOR t IN SELECT * FROM "mcpwire".task WHERE due_at <= v_now AND place <> 4 ORDER BY due_at LIMIT 64 FOR UPDATE SKIP LOCKED LOOP
    PERFORM "mcpwire".settle_task(t, v_now);
  END LOOP;
END $$;
CREATE FUNCTION mcpwire.settle_task(t mcpwire.task, p_now double precision) RETURNS mcpwire.task
    LANGUAGE plpgsql
    AS $$
BEGIN
  WHILE t.due_at <= p_now LOOP
    IF t.place = 4 THEN
      DELETE FROM "mcpwire".task WHERE n = t.n;
      RETURN NULL;
    ELSIF t.place = 1 AND t.cancelled_at IS NOT NULL THEN t := "mcpwire".end_task_itself(t, p_now, 'cancelled', NULL);
    ELSIF t.place = 1 AND t.tries >= t.max_attempts THEN
      t := "mcpwire".end_task_itself(t, p_now, 'failed', 'The worker was lost.');
    ELSIF t.place = 1 THEN
      t.place := 2;
      t := "mcpwire".save_task(t);
    ELSIF t.place = 3 THEN t := "mcpwire".end_task_itself(t, p_now, 'failed', 'Nobody answered the question in time.');
    ELSE t := "mcpwire".end_task_itself(t, p_now, 'failed', 'The task was not run in time.');
    END IF;
  END LOOP;
  RETURN t;
END $$;
CREATE FUNCTION mcpwire.sweep(p_rows integer, p_kept double precision) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE v_now float8 := "mcpwire".now_ms(); v_log bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM "mcpwire".record WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "mcpwire".record WHERE expires_at <= v_now LIMIT p_rows FOR UPDATE SKIP LOCKED));
  DELETE FROM "mcpwire".bucket WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "mcpwire".bucket WHERE full_at <= v_now LIMIT p_rows FOR UPDATE SKIP LOCKED));
  DELETE FROM "mcpwire".hold WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "mcpwire".hold WHERE expires_at <= v_now LIMIT p_rows FOR UPDATE SKIP LOCKED));
  DELETE FROM "mcpwire".task WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "mcpwire".task WHERE place = 4 AND due_at <= v_now ORDER BY due_at LIMIT p_rows FOR UPDATE SKIP LOCKED));
  FOR v_log IN SELECT n FROM "mcpwire".log WHERE expires_at <= v_now LIMIT p_rows FOR UPDATE SKIP LOCKED LOOP
    DELETE FROM "mcpwire".entry WHERE log = v_log;
    DELETE FROM "mcpwire".log WHERE n = v_log;
  END LOOP;
  DELETE FROM "mcpwire".message WHERE n = ANY (ARRAY(
    SELECT n FROM "mcpwire".message ORDER BY n LIMIT p_rows FOR UPDATE SKIP LOCKED))
    AND sent_at NOT BETWEEN v_now - p_kept AND v_now + p_kept AND n < (SELECT max(n) FROM "mcpwire".message);
END $$;
CREATE FUNCTION mcpwire.take(p_ns text, p_key text, p_cost double precision, p_fill double precision) RETURNS double precision
    LANGUAGE plpgsql
    AS $$
DECLARE v_now float8; v_wait float8;
BEGIN
  LOOP
    v_now := "mcpwire".now_ms();
    -- Later than the time to fill it is no bucket full: the clock was set back, or the limit has changed.
    INSERT INTO "mcpwire".bucket AS b VALUES (p_ns, p_key, v_now + p_cost) ON CONFLICT (ns, key) DO UPDATE
      SET full_at = least(greatest(b.full_at, v_now), v_now + p_fill) + p_cost
      WHERE least(greatest(b.full_at, v_now), v_now + p_fill) + p_cost - v_now - p_fill <= 1e-6;
    IF FOUND THEN RETURN 0; END IF;
    SELECT ceil(least(greatest(full_at, v_now), v_now + p_fill) + p_cost - v_now - p_fill - 1e-6) INTO v_wait
      FROM "mcpwire".bucket WHERE ns = p_ns AND key = p_key;
    IF v_wait > 0 THEN RETURN v_wait; END IF;
  END LOOP;
END $$;
CREATE FUNCTION mcpwire.touch_task(t mcpwire.task, p_now double precision) RETURNS mcpwire.task
    LANGUAGE plpgsql
    AS $$
BEGIN
  t.updated_at := greatest(p_now, t.updated_at);
  t.revision := t.revision + 1;
  RETURN t;
END $$;
CREATE TABLE mcpwire.bucket (
    ns text NOT NULL,
    key text NOT NULL,
    full_at double precision NOT NULL
);
CREATE TABLE mcpwire.entry (
    log bigint NOT NULL,
    seq double precision NOT NULL,
    writer text NOT NULL,
    nth double precision NOT NULL,
    bytes double precision NOT NULL,
    data text NOT NULL
);
CREATE TABLE mcpwire.hold (
    ns text NOT NULL,
    key text NOT NULL,
    holder text NOT NULL,
    expires_at double precision NOT NULL
);
ALTER TABLE mcpwire.log ALTER COLUMN n ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mcpwire.log_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE UNLOGGED TABLE mcpwire.message (
    n bigint NOT NULL,
    ns text NOT NULL,
    topic text NOT NULL,
    text text NOT NULL,
    sent_at double precision NOT NULL
);
CREATE TABLE mcpwire.record (
    ns text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    revision text NOT NULL,
    expires_at double precision NOT NULL
);
CREATE TABLE mcpwire.schema_version (
    version integer NOT NULL
);
ALTER TABLE mcpwire.task ALTER COLUMN n ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME mcpwire.task_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE mcpwire.task_part (
    task bigint NOT NULL,
    type integer NOT NULL,
    name text NOT NULL,
    value text NOT NULL
);
INSERT INTO mcpwire.bucket VALUES ('snapshot', 'bucket', 1794869303713);
INSERT INTO mcpwire.entry VALUES (1, 1, 'w', 0, 56, 'as1.Oxcyllf90quPrWSULuLn9_QhAR34W2Wzj0wCgJ5tPYk_a6OWkSjD');
INSERT INTO mcpwire.entry VALUES (1, 2, 'w', 0, 56, 'as1.OxcylmQ3WnKMPp4qBrLpu5QC5mUYPHtmcYD_PPUOoIkEKK2uj1Fa');
INSERT INTO mcpwire.entry VALUES (2, 1, 'w', 0, 63, 'as1.OxcylkliMSYvLzovdxQzirqoDFVEBLYLo73YYki6AD-HlD58viWLa2lVVSI');
INSERT INTO mcpwire.entry VALUES (3, 3, 'w', 3, 59, 'ps1.OxcylvYPhP7jYgJadqKoLCvX10Z199DhNhr0bUCT3txN7I1x6WtuaPw');
INSERT INTO mcpwire.entry VALUES (3, 4, 'w', 4, 59, 'ps1.OxcylswUUHJkDfYY--LJ8LylP9r5UF9ONVLP8Cb6l6LlbQQgj3mGotI');
INSERT INTO mcpwire.entry VALUES (3, 1, 'w', 1, 0, '');
INSERT INTO mcpwire.entry VALUES (3, 5, 'w', 5, 59, 'ps1.OxcylrKZcM_4pk0TN6TtrpXS6_MCFL5Zhw1KQ5ulnYZIkjmjmDAwjhA');
INSERT INTO mcpwire.entry VALUES (3, 2, 'w', 2, 0, '');
INSERT INTO mcpwire.entry VALUES (4, 1, 'gREMluUUPLG0.deMOUlR9', 1, 132, 'ps1.OxcylibTK6dASHAOSHgEs_Cv_yLbtXm8P32f8pXHT3s_ef1dFUyBhGOBvncn8jX65aX2TbZ_f8bGMQy3WaM7usghBM0XFgVbkXrIVIRgXl6WOLNxXZQX-MvfO8lzxUFb');
INSERT INTO mcpwire.entry VALUES (4, 2, 'gREMluUUPLG0.deMOUlR9', 2, 132, 'ps1.OxcylibTK6dASHAOSHgEs_Cv_yLbtXm8P32f8pXHT3s_ef1dFUyBhGOBvncn8jX65aX2TbZ_f8bGMQy3WaM7usghBM0XFgVbkXrIVIRgXl6WOLNxXZQX-MvfO8lzxUFb');
INSERT INTO mcpwire.hold VALUES ('snapshot', 'places', 'holder', 1794952703722);
INSERT INTO mcpwire.log OVERRIDING SYSTEM VALUE VALUES (1, 'snapshot', 'open', 1, 2, 112, false, 1794952703664);
INSERT INTO mcpwire.log OVERRIDING SYSTEM VALUE VALUES (2, 'snapshot', 'ended', 1, 1, 63, true, 1794952703667);
INSERT INTO mcpwire.log OVERRIDING SYSTEM VALUE VALUES (3, 'snapshot', 'posted', 3, 5, 177, false, 1794952703711);
INSERT INTO mcpwire.log OVERRIDING SYSTEM VALUE VALUES (4, 'snapshot', 'l:EYPyy7LozRAzrOmXgRBdS_0VEpvQOjXtiBkwv0dlHEE', 1, 2, 264, false, 1794868104029);
INSERT INTO mcpwire.message VALUES (1, 'snapshot', 'l:posted', '', 1794866303681);
INSERT INTO mcpwire.message VALUES (2, 'snapshot', 'l:posted', '', 1794866303709);
INSERT INTO mcpwire.message VALUES (3, 'snapshot', 'l:posted', '', 1794866303728);
INSERT INTO mcpwire.message VALUES (4, 'snapshot', 'work', '', 1794866303753);
INSERT INTO mcpwire.message VALUES (5, 'snapshot', 'changed', 'completed', 1794866303785);
INSERT INTO mcpwire.message VALUES (6, 'snapshot', 'work', '', 1794866303785);
INSERT INTO mcpwire.message VALUES (7, 'snapshot', 'changed', 'cancelled', 1794866303785);
INSERT INTO mcpwire.message VALUES (8, 'snapshot', 'work', '', 1794866303810);
INSERT INTO mcpwire.message VALUES (9, 'snapshot', 'changed', 'parked', 1794866303810);
INSERT INTO mcpwire.message VALUES (10, 'snapshot', 'changed', 'parked', 1794866303838);
INSERT INTO mcpwire.message VALUES (11, 'snapshot', 'work', '', 1794866303838);
INSERT INTO mcpwire.message VALUES (12, 'snapshot', 'changed', 'leased', 1794866303857);
INSERT INTO mcpwire.message VALUES (13, 'snapshot', 'work', '', 1794866303857);
INSERT INTO mcpwire.message VALUES (14, 'snapshot', 'l:l:EYPyy7LozRAzrOmXgRBdS_0VEpvQOjXtiBkwv0dlHEE', '', 1794866304023);
INSERT INTO mcpwire.record VALUES ('snapshot', 'plain', 's1.dwGsBDIVUK6K2BgTN7UGJCqiMM6xCaSzOfQC70N7FQ-bs22xG42SZoRF2FirrPzuiuANcWp6', 'cTqMofc0GBMY2GRJ', 1794952703650);
INSERT INTO mcpwire.record VALUES ('snapshot', '~server', 'kr-UFsmodgVz', '', 1797458303857);
INSERT INTO mcpwire.record VALUES ('snapshot', 'c.seals.gREMluUUPLG0', '1', 'og18HJIrqlNLbKJx', 1794866318878);
INSERT INTO mcpwire.record VALUES ('snapshot', 'c.seals', '{"v":1,"nodes":[["gREMluUUPLG0",[["pwb41HymCm0W"]]]]}', 'UBFoSYdvgCrd8s97', 1794866318882);
INSERT INTO mcpwire.record VALUES ('snapshot', 'n.gREMluUUPLG0', 's1.dwGsBOhYFnsv56DoPAxFEeXKhm2v6aNWKqa1no1DIR0007v5tfXmT_2rfBwR3fTnF5ndzwZDYQHrErUG6C49n5qaX0Ei4anQhbYlKg', 'E4579xxC77CX-bzA', 1794866318896);
INSERT INTO mcpwire.record VALUES ('snapshot', 'k.gREMluUUPLG0', 's1.dwGsBBZTnbiIRn8XfK5CxYH-Tw7T3W4kgbKLQgADdZKYbpe43-wAtZZr-fQ-VVvyY9154q1Fa2C5AX_JG1fwV9nZPpF-W1IUauWswA', 'UrSYxdJL20T3ep4J', 1794866903901);
INSERT INTO mcpwire.record VALUES ('snapshot', 'd.8MoM-1Eh1_AlGqLEvJoV2DXAlC0RhuKnaQmrtcxAsGo', 's1.dwGsBB9Q7bSOLVeHJkJUywD-yeDtPhT1NyXB-RyCOPR743PBdRnm90j2y1wx2sT6R7j9JOytI4s', '8ELh-LHfXuwc-pdE', 1794869903993);
INSERT INTO mcpwire.record VALUES ('snapshot', 's.8MoM-1Eh1_AlGqLEvJoV2DXAlC0RhuKnaQmrtcxAsGo', 's1.dwGsBLC6Bywrhmi-EEUVdTXM56UEZM2ie592h3tkulJkzzqVxq7mzkNE7V13fJ-vUDVrcGIVhpzOMEW7kIFgaHxngSm_oyGBuscwmM6JFY_krOTHHjtEUpmzxntSXyUHbK1z_OpomGzlxbn37hK2e7xIMLAGmU10NbFdA1ErqjmBr5WckkryQsp3FWG96SELN_aF5tNIJyb7PVbxKebhJ9Frl-16D6yegJaNApxKRqasEhxTetYl60fBXUvkP-S5tQUwNJ1ymwasKMgn4-6TR6EhthgswrmVbRxryX47ltXlQiC0Pkr3Hu0lOgHULYW3yeavvtvoT4Me-me2NFF_Zkh0gBhy_rVIzBf3dkCBBWmT4xrPmI3bcDv59k7S2Gnut7QY7AjcwLNu-mwvpgFb19gn5txTLu18aXQqQwXwrvd6xUlkwqkleMh3OypjKZg8h_44frWPqN3V-0YPHlthOukfEuC4M4eJ5Ezl6dO1GXszMxUpefhQrM9s7IFCJ2xtscDYdLuhj7QpZWxvDX3hUasFbx2Ms12XPZ9LPVsx0Z_3EbWMKXJv9mfebxDqTo3WVTIsGSeInJwEVy17ATDIxDi3RSNvoCDofAEhgqXJGTCr8M_DY2MTuyDvKQYTmgNAjCA', 'jBVufGMSfuZ6wGwR', 1794868104028);
INSERT INTO mcpwire.schema_version VALUES (1);
INSERT INTO mcpwire.task OVERRIDING SYSTEM VALUE VALUES (1, 'snapshot', 'completed', 'ada', 'report', 'extension', 86400000, 86400000, 3, 1794866303727, 1794866303727, 1794866303754, 86400027, 500, 4, 'completed', NULL, 1, 1, 2, 1794866903740, NULL, false, false, NULL, 1794952703754, '', 's1.mRLYZf1p6tinOG_y6b6M3170OMqvPHo5lRJJcnfzKqMENCMj5oaOK1meSA');
INSERT INTO mcpwire.task OVERRIDING SYSTEM VALUE VALUES (2, 'snapshot', 'cancelled', 'ada', 'report', 'extension', 86400000, 86400000, 3, 1794866303760, 1794866303760, 1794866303766, 86400006, 500, 4, 'cancelled', NULL, 1, 0, 2, NULL, NULL, false, false, NULL, 1794952703766, '', NULL);
INSERT INTO mcpwire.task OVERRIDING SYSTEM VALUE VALUES (3, 'snapshot', 'parked', 'ada', 'report', 'extension', 86400000, 86400000, 3, 1794866303780, 1794866303780, 1794866303802, 86400000, 500, 3, 'input_required', NULL, 1, 0, 2, NULL, NULL, false, true, NULL, 1794952703780, 's1.mRLYZfi_G-P5qZxIfydFuN1rFAnQPOXI90kKggC34QIeXJSFbjUFpA', NULL);
INSERT INTO mcpwire.task OVERRIDING SYSTEM VALUE VALUES (4, 'snapshot', 'leased', 'ada', 'report', 'extension', 86400000, 86400000, 3, 1794866303813, 1794866303813, 1794866303837, 172800024, 500, 1, 'working', 's1.mRLYZeEsmmz4r1-H9el15xS4ui7L4nE2ms8MPu4BKffoY3JmGy1IGQ', 1, 1, 2, 1794866903837, NULL, false, false, NULL, 1794866903837, 's1.mRLYZfwjd8etBzy4BgPeyKTM3NHXM84Kh78QAC_qAc6EIfPXfCuu_w', NULL);
INSERT INTO mcpwire.task OVERRIDING SYSTEM VALUE VALUES (5, 'snapshot', 'ready', 'ada', 'report', 'extension', 86400000, 86400000, 3, 1794866303851, 1794866303851, 1794866303851, 86400000, 500, 0, 'working', NULL, 0, 0, 1, NULL, NULL, false, false, 1794866303851, 1794952703851, 's1.mRLYZXbcSZKxqvZYQtXPD9S0N_lmN6zMbxmuW15GCYbbapMvn6n9gw', NULL);
INSERT INTO mcpwire.task_part VALUES (3, 1, 'read', 's1.mRLYZUPcamr8iNIneExA4-L2zVdYajohHkc3cO41mK8q98Qz3uc');
INSERT INTO mcpwire.task_part VALUES (3, 3, 'question', 's1.mRLYZXIt8grNmLEgOJFKNZFhKQ312peq2V9nuRSPJU20JQ');
SELECT pg_catalog.setval('mcpwire.log_n_seq', 4, true);
SELECT pg_catalog.setval('mcpwire.task_n_seq', 5, true);
ALTER TABLE ONLY mcpwire.bucket
    ADD CONSTRAINT bucket_pkey PRIMARY KEY (ns, key);
ALTER TABLE ONLY mcpwire.entry
    ADD CONSTRAINT entry_pkey PRIMARY KEY (log, seq);
ALTER TABLE ONLY mcpwire.hold
    ADD CONSTRAINT hold_pkey PRIMARY KEY (ns, key, holder);
ALTER TABLE ONLY mcpwire.log
    ADD CONSTRAINT log_pkey PRIMARY KEY (n);
ALTER TABLE ONLY mcpwire.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (n);
ALTER TABLE ONLY mcpwire.record
    ADD CONSTRAINT record_pkey PRIMARY KEY (ns, key);
ALTER TABLE ONLY mcpwire.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (n);
CREATE INDEX bucket_expiry ON mcpwire.bucket USING btree (full_at);
CREATE UNIQUE INDEX entry_post ON mcpwire.entry USING btree (log, writer, nth) WHERE (nth > (0)::double precision);
CREATE INDEX hold_expiry ON mcpwire.hold USING btree (expires_at);
CREATE INDEX log_expiry ON mcpwire.log USING btree (expires_at);
CREATE UNIQUE INDEX log_name ON mcpwire.log USING btree (ns, name);
CREATE INDEX record_expiry ON mcpwire.record USING btree (expires_at);
CREATE INDEX task_due ON mcpwire.task USING btree (due_at) WHERE (place <> 4);
CREATE INDEX task_gone ON mcpwire.task USING btree (due_at) WHERE (place = 4);
CREATE UNIQUE INDEX task_id ON mcpwire.task USING btree (ns, id);
CREATE INDEX task_open ON mcpwire.task USING btree (ns, owner) WHERE (place <> 4);
CREATE INDEX task_owner ON mcpwire.task USING btree (ns, owner, dialect, created_at, n);
CREATE UNIQUE INDEX task_part_name ON mcpwire.task_part USING btree (task, type, md5(name));
CREATE INDEX task_queue ON mcpwire.task USING btree (ns, kind, queue_at, n) WHERE (queue_at IS NOT NULL);

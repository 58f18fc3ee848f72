// Functions of version 1: each is one atomic step, in one trip. Whoever changes a row locks it first, and looks at the clock then.

const REMOVE_TASKS = `  DELETE FROM mcpwire.task WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM mcpwire.task WHERE place = 4 AND due_at <= v_now ORDER BY due_at LIMIT p_rows FOR UPDATE SKIP LOCKED));
`

/** How tasks that are gone are removed is another matter in version 2. */
export function sweepFunction(create: string, removeTasks: string): string {
  return `-- The newest message stays, because the next one is numbered after it. Of a clock that was set back, the future is past too.
${create} FUNCTION mcpwire.sweep(p_rows int, p_kept float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_now float8 := mcpwire.now_ms(); v_log bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM mcpwire.record WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM mcpwire.record WHERE expires_at <= v_now LIMIT p_rows FOR UPDATE SKIP LOCKED));
  DELETE FROM mcpwire.bucket WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM mcpwire.bucket WHERE full_at <= v_now LIMIT p_rows FOR UPDATE SKIP LOCKED));
  DELETE FROM mcpwire.hold WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM mcpwire.hold WHERE expires_at <= v_now LIMIT p_rows FOR UPDATE SKIP LOCKED));
${removeTasks}  FOR v_log IN SELECT n FROM mcpwire.log WHERE expires_at <= v_now LIMIT p_rows FOR UPDATE SKIP LOCKED LOOP
    DELETE FROM mcpwire.entry WHERE log = v_log;
    DELETE FROM mcpwire.log WHERE n = v_log;
  END LOOP;
  DELETE FROM mcpwire.message WHERE n = ANY (ARRAY(
    SELECT n FROM mcpwire.message ORDER BY n LIMIT p_rows FOR UPDATE SKIP LOCKED))
    AND sent_at NOT BETWEEN v_now - p_kept AND v_now + p_kept AND n < (SELECT max(n) FROM mcpwire.message);
END $$;
`
}

export const FUNCTIONS = `
CREATE FUNCTION mcpwire.now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8
$$;

CREATE FUNCTION mcpwire.put_record(p_ns text, p_key text, p_value text, p_revision text, p_ttl float8, p_expected text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE v_now float8 := mcpwire.now_ms();
BEGIN
  IF p_expected IS NULL THEN
    INSERT INTO mcpwire.record AS r VALUES (p_ns, p_key, p_value, p_revision, v_now + p_ttl)
      ON CONFLICT (ns, key) DO UPDATE SET value = p_value, revision = p_revision, expires_at = v_now + p_ttl
      WHERE r.expires_at <= v_now;
  ELSE
    UPDATE mcpwire.record SET value = p_value, revision = p_revision, expires_at = v_now + p_ttl
      WHERE ns = p_ns AND key = p_key AND revision = p_expected AND expires_at > v_now;
  END IF;
  IF FOUND THEN RETURN true; END IF;
  -- The very revision is there: this is the repeat of a put that was done.
  RETURN EXISTS (SELECT FROM mcpwire.record WHERE ns = p_ns AND key = p_key AND revision = p_revision AND expires_at > v_now);
END $$;

CREATE FUNCTION mcpwire.lock_log(p_ns text, p_name text) RETURNS mcpwire.log LANGUAGE plpgsql AS $$
DECLARE v_log mcpwire.log; v_now float8;
BEGIN
  LOOP
    SELECT * INTO v_log FROM mcpwire.log WHERE ns = p_ns AND name = p_name FOR UPDATE;
    v_now := mcpwire.now_ms();
    IF FOUND THEN
      IF v_log.expires_at > v_now THEN RETURN v_log; END IF;
      DELETE FROM mcpwire.entry WHERE log = v_log.n;
      DELETE FROM mcpwire.log WHERE n = v_log.n;
    END IF;
    INSERT INTO mcpwire.log (ns, name, expires_at) VALUES (p_ns, p_name, v_now + 60000)
      ON CONFLICT (ns, name) DO NOTHING RETURNING * INTO v_log;
    IF FOUND THEN RETURN v_log; END IF;
  END LOOP;
END $$;

CREATE FUNCTION mcpwire.append_entry(p_ns text, p_name text, p_seq float8, p_data text, p_bytes float8, p_writer text, p_ttl float8, p_last boolean)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE v_log mcpwire.log;
BEGIN
  -- A gap makes no log.
  IF p_seq > 1 AND NOT EXISTS (SELECT FROM mcpwire.log WHERE ns = p_ns AND name = p_name) THEN RETURN 'conflict'; END IF;
  v_log := mcpwire.lock_log(p_ns, p_name);
  IF p_seq <= v_log.last_seq THEN
    IF EXISTS (SELECT FROM mcpwire.entry WHERE log = v_log.n AND seq = p_seq AND writer = p_writer) THEN RETURN 'already'; END IF;
    RETURN 'conflict';
  END IF;
  IF p_seq > v_log.last_seq + 1 OR v_log.is_ended THEN
    IF v_log.last_seq = 0 THEN DELETE FROM mcpwire.log WHERE n = v_log.n; END IF;
    RETURN 'conflict';
  END IF;
  INSERT INTO mcpwire.entry VALUES (v_log.n, p_seq, p_writer, 0, p_bytes, p_data);
  UPDATE mcpwire.log SET last_seq = p_seq, bytes = bytes + p_bytes, is_ended = p_last, expires_at = mcpwire.now_ms() + p_ttl
    WHERE n = v_log.n;
  RETURN 'kept';
END $$;

-- 0: the log has ended.
CREATE FUNCTION mcpwire.post_entry(p_ns text, p_name text, p_data text, p_bytes float8, p_writer text, p_nth float8, p_ttl float8, p_entries float8, p_most float8)
RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE v_log mcpwire.log; v_seq float8; v_first float8; v_bytes float8; v_entry record;
BEGIN
  v_log := mcpwire.lock_log(p_ns, p_name);
  SELECT seq INTO v_seq FROM mcpwire.entry WHERE log = v_log.n AND writer = p_writer AND nth = p_nth AND nth > 0;
  IF FOUND THEN RETURN v_seq; END IF;
  IF v_log.is_ended THEN RETURN 0; END IF;
  v_seq := v_log.last_seq + 1;
  v_first := v_log.first_seq;
  v_bytes := v_log.bytes + p_bytes;
  INSERT INTO mcpwire.entry VALUES (v_log.n, v_seq, p_writer, p_nth, p_bytes, p_data);
  IF v_seq - v_first + 1 > p_entries OR v_bytes > p_most THEN
    FOR v_entry IN SELECT seq, bytes FROM mcpwire.entry WHERE log = v_log.n AND seq >= v_first ORDER BY seq LOOP
      -- The newest entry stays, however large it is.
      EXIT WHEN v_entry.seq = v_seq OR (v_seq - v_first + 1 <= p_entries AND v_bytes <= p_most);
      v_first := v_entry.seq + 1;
      v_bytes := v_bytes - v_entry.bytes;
    END LOOP;
    -- Entries that had to go are known for a while without their text, so that a late repeat is recognised.
    UPDATE mcpwire.entry SET data = '', bytes = 0 WHERE log = v_log.n AND seq >= v_log.first_seq AND seq < v_first;
    DELETE FROM mcpwire.entry WHERE log = v_log.n AND seq < v_first - 64;
  END IF;
  UPDATE mcpwire.log SET first_seq = v_first, last_seq = v_seq, bytes = v_bytes, expires_at = mcpwire.now_ms() + p_ttl WHERE n = v_log.n;
  RETURN v_seq;
END $$;

CREATE FUNCTION mcpwire.drop_log(p_ns text, p_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_n bigint;
BEGIN
  SELECT n INTO v_n FROM mcpwire.log WHERE ns = p_ns AND name = p_name FOR UPDATE;
  DELETE FROM mcpwire.entry WHERE log = v_n;
  DELETE FROM mcpwire.log WHERE n = v_n;
END $$;

CREATE FUNCTION mcpwire.take(p_ns text, p_key text, p_cost float8, p_fill float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE v_now float8; v_wait float8;
BEGIN
  LOOP
    v_now := mcpwire.now_ms();
    -- Later than the time to fill it is no bucket full: the clock was set back, or the limit has changed.
    INSERT INTO mcpwire.bucket AS b VALUES (p_ns, p_key, v_now + p_cost) ON CONFLICT (ns, key) DO UPDATE
      SET full_at = least(greatest(b.full_at, v_now), v_now + p_fill) + p_cost
      WHERE least(greatest(b.full_at, v_now), v_now + p_fill) + p_cost - v_now - p_fill <= 1e-6;
    IF FOUND THEN RETURN 0; END IF;
    SELECT ceil(least(greatest(full_at, v_now), v_now + p_fill) + p_cost - v_now - p_fill - 1e-6) INTO v_wait
      FROM mcpwire.bucket WHERE ns = p_ns AND key = p_key;
    IF v_wait > 0 THEN RETURN v_wait; END IF;
  END LOOP;
END $$;

CREATE FUNCTION mcpwire.hold(p_ns text, p_key text, p_holder text, p_max float8, p_ttl float8) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE v_now float8;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('mcpwire.hold ' || p_ns || ' ' || p_key, 0));
  v_now := mcpwire.now_ms();
  UPDATE mcpwire.hold SET expires_at = v_now + p_ttl WHERE ns = p_ns AND key = p_key AND holder = p_holder AND expires_at > v_now;
  IF FOUND THEN RETURN true; END IF;
  IF (SELECT count(*) FROM mcpwire.hold WHERE ns = p_ns AND key = p_key AND expires_at > v_now) >= p_max THEN RETURN false; END IF;
  INSERT INTO mcpwire.hold VALUES (p_ns, p_key, p_holder, v_now + p_ttl)
    ON CONFLICT (ns, key, holder) DO UPDATE SET expires_at = v_now + p_ttl;
  RETURN true;
END $$;

-- Numbers without gaps, in the order in which readers see them: one sender at a time.
CREATE FUNCTION mcpwire.send(p_ns text, p_messages text, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_last bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(hashtextextended('mcpwire.send ' || p_channel, 0));
  SELECT coalesce(max(n), 0) INTO v_last FROM mcpwire.message;
  INSERT INTO mcpwire.message
    SELECT v_last + place, p_ns, pair->>0, pair->>1, mcpwire.now_ms()
    FROM json_array_elements(p_messages::json) WITH ORDINALITY AS given (pair, place);
  PERFORM pg_notify(p_channel, '');
END $$;

${sweepFunction('CREATE', REMOVE_TASKS)}`

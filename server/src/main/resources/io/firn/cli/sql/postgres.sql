-- IDs of namespace ${namespace} made in SQL, with worker ${worker}, for PostgreSQL 12 or newer.
-- Printed by: firn sql postgres --namespace ${namespace} --worker ${worker}
-- Run it as the owner of the table ${table}, in its database. It can be run again.
--
--   firn_next('${namespace}')           a new ID, for DEFAULT
--   firn_time(id)                 when an ID was made
--   firn_min(timestamp)           the smallest ID of a time, for WHERE id >= firn_min(…)
--   firn_reopen('${namespace}')         allows draws again, after a restart or promotion
--   firn_remove('${namespace}')         ends draws for good, and returns the newest ID

BEGIN;

DO $firn$
DECLARE
  place text;
  seen text;
  recorded text;
BEGIN
  IF version() LIKE 'CockroachDB%' OR current_setting('server_version_num')::int < 120000 THEN
    RAISE EXCEPTION 'database: % (expected: PostgreSQL 12 or newer)', version();
  END IF;
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'database: a standby (expected: the primary)';
  END IF;
  SELECT quote_ident(n.nspname) INTO place
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = to_regclass('${table}');
  IF place IS NULL THEN
    RAISE EXCEPTION 'table: ${table} (expected: the table of registers, in this database)';
  END IF;
  PERFORM set_config('search_path', place || ', pg_temp', true);
  -- Locked, so that a release of the worker waits, and then meets the trigger.
  SELECT value INTO seen FROM ${tableName} WHERE name = '${register}' FOR UPDATE;
  IF seen IS NULL OR NOT starts_with(seen, '${reservation}') OR strpos(seen, ' until=') > 0 THEN
    RAISE EXCEPTION 'worker: ${worker} (expected: reserved in this database; its register has: %)',
      coalesce(seen, 'nothing')
      USING HINT = '${reserve}';
  END IF;
  SELECT value INTO recorded FROM ${tableName} WHERE name = '${namespace}/layout';
  IF recorded IS NULL OR strpos(recorded || ' ', ' layout=${layout} ') = 0 THEN
    RAISE EXCEPTION 'layout: ${layout} (expected: that of namespace ${namespace}: %)', recorded;
  END IF;
  IF NOT ${outsideWatermark}
      AND EXISTS (SELECT FROM ${tableName} WHERE name = '${namespace}/watermark') THEN
    RAISE EXCEPTION 'namespace: ${namespace} (expected: one without a watermark)'
      USING HINT = 'firn sql with --outside-watermark: its readers may miss rows of these IDs';
  END IF;
  IF to_regclass('firn_sql') IS NOT NULL THEN
    SELECT 'worker ' || worker || ' of the table ' || registers INTO seen
      FROM firn_sql WHERE namespace = '${namespace}' AND NOT removed
        AND (worker, registers) <> (${worker}, '${tableName}');
    IF FOUND THEN
      RAISE EXCEPTION 'namespace: ${namespace} draws with % (expected: worker ${worker} of ${tableName})',
        seen USING HINT = 'SELECT firn_remove(''${namespace}'') ends that.';
    END IF;
  END IF;
END $firn$;

CREATE TABLE IF NOT EXISTS firn_sql (
  namespace text PRIMARY KEY,
  registers text NOT NULL,        -- the table of registers
  register text NOT NULL,         -- of the worker
  reservation text NOT NULL,      -- how the register begins
  worker bigint NOT NULL,
  layout text NOT NULL,
  word text NOT NULL UNIQUE,      -- the sequence: tick and sequence number of the newest ID
  epoch_millis bigint NOT NULL,
  tick_millis bigint NOT NULL,
  max_tick bigint NOT NULL,
  max_behind bigint NOT NULL,     -- how far IDs may be behind the clock while another session lifts the word
  time_bits int NOT NULL,
  time_shift int NOT NULL,
  sorts boolean NOT NULL,         -- whether IDs grow with time
  sequence_bits int NOT NULL,
  sequence_shift int NOT NULL,
  worker_bits bigint NOT NULL,    -- in their place
  lead_ticks bigint NOT NULL,     -- how far IDs run ahead of the clock at most
  margin_ticks bigint NOT NULL,   -- differences of clocks, and how long a replaced server goes on
  base_tick bigint NOT NULL,      -- where the last reopening lifted the word to
  began_tick bigint NOT NULL,     -- the clock then
  opened text NOT NULL,           -- what it was reopened under
  removed boolean NOT NULL
);

-- A crash of any process of the server takes the newest numbers of a sequence back, and leaves the
-- server's start time as it was. It empties this table, as a promotion does: draws are refused until
-- firn_reopen.
CREATE UNLOGGED TABLE IF NOT EXISTS firn_sql_open (
  namespace text PRIMARY KEY
);

-- What changes when the server is restarted or promoted, or the sequence restored from a dump.
CREATE OR REPLACE FUNCTION firn_identity(word regclass) RETURNS text
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $firn$
  SELECT concat_ws('/',
    CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS bigint),
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
    CAST(word AS oid))
$firn$;

-- Locks a table for changes, so that one of these runs at a time, and returns its row.
CREATE OR REPLACE FUNCTION firn_installed(of_namespace text) RETURNS firn_sql
LANGUAGE plpgsql SET search_path FROM CURRENT AS $firn$
DECLARE
  s firn_sql;
BEGIN
  LOCK TABLE firn_sql IN EXCLUSIVE MODE;
  SELECT * INTO s FROM firn_sql WHERE namespace = of_namespace;
  IF NOT FOUND OR s.removed THEN
    RAISE EXCEPTION 'namespace: % (expected: one that firn sql has installed)', of_namespace;
  END IF;
  RETURN s;
END $firn$;

-- Reads the worker's register.
CREATE OR REPLACE FUNCTION firn_check(of_namespace text, of_register text, reservation text)
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $firn$
DECLARE
  seen text;
BEGIN
  SELECT value INTO seen FROM ${tableName} WHERE name = of_register;
  IF seen IS NULL OR NOT starts_with(seen, reservation) OR strpos(seen, ' until=') > 0 THEN
    RAISE EXCEPTION 'firn_next: % has no reserved worker ID any more (expected: % … in register %, it has: %)',
      of_namespace, reservation, of_register, coalesce(seen, 'nothing')
      USING HINT = 'Restore the table ${tableName}, or SELECT firn_remove(…) and reserve another worker ID.';
  END IF;
END $firn$;

-- Waits for the lock that lifts the word. It returns nothing but true.
CREATE OR REPLACE FUNCTION firn_lock(of_namespace text, word regclass) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '30s' AS $firn$
BEGIN
  RETURN pg_advisory_lock(1181315694, word::oid::int) IS NOT NULL;
EXCEPTION WHEN lock_not_available THEN
  RAISE EXCEPTION 'firn_next: sessions % hold the lock of the word of % for over 30 s (expected: microseconds)',
    (SELECT string_agg(pid::text, ', ') FROM pg_locks WHERE locktype = 'advisory'
      AND classid = 1181315694 AND objid = word::oid AND granted), of_namespace
    USING HINT = 'End them: SELECT pg_terminate_backend(PID)';
END $firn$;

-- Makes firn_next anew, with what the table says as constants: it reads no table to draw.
CREATE OR REPLACE FUNCTION firn_write() RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $firn$
DECLARE
  branches text;
BEGIN
  SELECT string_agg(format($branch$
    WHEN %L THEN
      register := %L; reservation := %L; word := %L::regclass; opened := %L;
      epoch_millis := %s; tick_millis := %s; max_tick := %s; max_behind := %s; lead := %s;
      base := %s; began := %s; bits := %s; time_shift := %s; sequence_shift := %s; worker_bits := %s;$branch$,
      namespace, register, reservation, word, opened, epoch_millis, tick_millis, max_tick,
      max_behind, lead_ticks, base_tick, began_tick, sequence_bits, time_shift, sequence_shift, worker_bits), '')
    INTO branches FROM firn_sql WHERE NOT removed;
  EXECUTE format($next$
CREATE OR REPLACE FUNCTION firn_next(namespace text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path FROM CURRENT AS $body$
DECLARE
  register text; reservation text; word regclass; opened text;
  epoch_millis bigint; tick_millis bigint; max_tick bigint; max_behind bigint;
  lead bigint; base bigint;
  began bigint; bits int; time_shift int; sequence_shift int; worker_bits bigint;
  lifts boolean := false;
  known bigint;
  clock bigint;
  newest bigint;
  ahead bigint;
  number bigint;
BEGIN
  CASE namespace %s
    WHEN NULL THEN
    ELSE
      RAISE EXCEPTION 'namespace: %% (expected: one that firn sql has installed)', namespace;
  END CASE;
  IF opened <> concat_ws('/',
      CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS bigint),
      substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), CAST(word AS oid))
      OR NOT EXISTS (SELECT FROM firn_sql_open o WHERE o.namespace = firn_next.namespace) THEN
    RAISE EXCEPTION 'firn_next: the database was restarted, promoted or restored (expected: SELECT firn_reopen(%%) after that)',
      quote_literal(namespace)
      USING HINT = 'Do it once it is certain that only this server serves the database.';
  END IF;
  LOOP
    IF number IS NULL THEN
      clock := (CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint) / 1000
        - epoch_millis) / tick_millis;
      newest := pg_sequence_last_value(word) >> bits;
      IF newest < clock THEN
        PERFORM firn_check(namespace, register, reservation);
        IF clock > max_tick THEN
          RAISE EXCEPTION 'firn_next: the time of the layout of %% is over', namespace;
        END IF;
      END IF;
      BEGIN
        IF newest < clock THEN
          -- Nobody draws while the word is lifted, because setval may set it back.
          lifts := pg_try_advisory_lock(1181315694, word::oid::int);
          IF NOT lifts AND clock - newest > max_behind THEN
            lifts := firn_lock(namespace, word);
          END IF;
        END IF;
        IF lifts THEN
          newest := pg_sequence_last_value(word);
          IF newest >> bits < clock THEN
            PERFORM setval(word, (clock << bits) | (newest & ((1::bigint << bits) - 1)));
          END IF;
          number := nextval(word);
          lifts := NOT pg_advisory_unlock(1181315694, word::oid::int);
        ELSIF newest <= greatest(clock, base + (clock - began) / 2) + lead THEN
          -- Other sessions draw at the same time, and none lifts the word.
          PERFORM pg_advisory_lock_shared(1181315694, word::oid::int);
          number := nextval(word);
          PERFORM pg_advisory_unlock_shared(1181315694, word::oid::int);
        END IF;
      EXCEPTION WHEN OTHERS OR QUERY_CANCELED THEN
        -- A lock may be given while its wait is cancelled: only the server knows which are held.
        PERFORM CASE mode WHEN 'ExclusiveLock' THEN pg_advisory_unlock(1181315694, word::oid::int)
            ELSE pg_advisory_unlock_shared(1181315694, word::oid::int) END
          FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted
            AND classid = 1181315694 AND objid = word::oid AND objsubid = 2;
        RAISE;
      END;
    END IF;
    EXIT WHEN number >> bits <= greatest(clock, base + (clock - began) / 2) + lead;
    -- Too far ahead: wait for the clock, with the number if there is one.
    clock := (CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint) / 1000
      - epoch_millis) / tick_millis;
    ahead := coalesce(number, pg_sequence_last_value(word)) >> bits;
    ahead := ahead - greatest(clock, base + (clock - began) / 2) - lead;
    IF ahead * tick_millis > 5000 THEN
      IF known = base THEN
        RAISE EXCEPTION 'firn_next: the clock of the database is %% ms behind the newest ID of %% (expected: %% at most)',
          (ahead + lead) * tick_millis, namespace, lead * tick_millis
          USING HINT = 'The clock moved backwards, or was ahead before: correct it, or wait. '
            'Where firn_reopen was called during this transaction: repeat it.';
      END IF;
      -- Or it is being reopened: wait for that, and continue with what it allows.
      known := base;
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(1181315694, word::oid::int);
        RAISE SQLSTATE '57F00'; -- frees the lock
      EXCEPTION WHEN SQLSTATE '57F00' THEN
      END;
      SELECT f.base_tick, f.began_tick INTO base, began FROM firn_sql f
        WHERE f.namespace = firn_next.namespace;
      CONTINUE;
    END IF;
    PERFORM pg_sleep(greatest(ahead * tick_millis, 1) / 1000.0);
  END LOOP;
  RETURN ((number >> bits) << time_shift) | worker_bits
    | ((number & ((1::bigint << bits) - 1)) << sequence_shift);
END $body$ $next$, branches);
END $firn$;

-- Lifts the word past every ID that may have been drawn, and allows draws.
CREATE OR REPLACE FUNCTION firn_reopen(namespace text) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $firn$
DECLARE
  s firn_sql := firn_installed(namespace);
  clock bigint;
  newest bigint;
  base bigint;
BEGIN
  PERFORM firn_check(namespace, s.register, s.reservation);
  PERFORM set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');
  PERFORM pg_advisory_xact_lock(1181315694, s.word::regclass::oid::int);
  clock := (CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint) / 1000
    - s.epoch_millis) / s.tick_millis;
  newest := pg_sequence_last_value(s.word::regclass) >> s.sequence_bits;
  base := greatest(clock + s.margin_ticks, newest,
    s.base_tick + greatest(clock + s.margin_ticks - s.began_tick, 0) / 2) + s.lead_ticks + 1;
  PERFORM setval(s.word::regclass, base << s.sequence_bits);
  UPDATE firn_sql f SET base_tick = base, began_tick = clock, opened = firn_identity(s.word::regclass)
    WHERE f.namespace = s.namespace;
  INSERT INTO firn_sql_open VALUES (s.namespace) ON CONFLICT DO NOTHING;
  PERFORM firn_write();
  RETURN to_timestamp((s.epoch_millis + base * s.tick_millis) / 1000.0);
END $firn$;

-- Ends draws, waits for transactions that have drawn, and returns the newest ID.
CREATE OR REPLACE FUNCTION firn_remove(namespace text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $firn$
DECLARE
  s firn_sql := firn_installed(namespace);
  newest bigint;
BEGIN
  EXECUTE format('ALTER SEQUENCE %s INCREMENT 1', s.word::regclass); -- a lock against nextval
  newest := pg_sequence_last_value(s.word::regclass);
  EXECUTE format('DROP SEQUENCE %s', s.word::regclass);
  UPDATE firn_sql f SET removed = true,
      base_tick = greatest(f.base_tick, newest >> s.sequence_bits) WHERE f.namespace = s.namespace;
  PERFORM firn_write();
  RETURN ((newest >> s.sequence_bits) << s.time_shift) | s.worker_bits
    | ((newest & ((1::bigint << s.sequence_bits) - 1)) << s.sequence_shift);
END $firn$;

-- The layout of a namespace, or of all that are installed.
CREATE OR REPLACE FUNCTION firn_layout(of_namespace text) RETURNS firn_sql
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $firn$
DECLARE
  s firn_sql;
BEGIN
  IF of_namespace IS NULL AND (SELECT count(DISTINCT layout) FROM firn_sql) > 1 THEN
    RAISE EXCEPTION 'firn_time, firn_min: the namespaces have several layouts (expected: firn_time_in or firn_min_in, which name one)';
  END IF;
  SELECT * INTO s FROM firn_sql
    WHERE of_namespace IS NULL OR namespace = of_namespace ORDER BY namespace LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'namespace: % (expected: one that firn sql has installed)', of_namespace;
  END IF;
  RETURN s;
END $firn$;

CREATE OR REPLACE FUNCTION firn_time_in(namespace text, id bigint) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $firn$
DECLARE
  s firn_sql := firn_layout(namespace);
BEGIN
  RETURN to_timestamp((s.epoch_millis
    + ((id >> s.time_shift) & ((1::bigint << s.time_bits) - 1)) * s.tick_millis) / 1000.0);
END $firn$;

CREATE OR REPLACE FUNCTION firn_time(id bigint) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $firn$ SELECT firn_time_in(NULL, id) $firn$;

CREATE OR REPLACE FUNCTION firn_min_in(namespace text, at timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $firn$
DECLARE
  s firn_sql := firn_layout(namespace);
  tick bigint := floor((EXTRACT(EPOCH FROM at)::numeric * 1000 - s.epoch_millis) / s.tick_millis);
BEGIN
  IF NOT s.sorts THEN
    RAISE EXCEPTION 'firn_min: IDs of layout % do not grow with time', s.layout;
  END IF;
  IF tick < 0 OR tick > s.max_tick THEN
    RAISE EXCEPTION 'firn_min: % (expected: from % to before %)', at,
      to_timestamp(s.epoch_millis / 1000.0),
      to_timestamp((s.epoch_millis + (s.max_tick + 1) * s.tick_millis) / 1000.0);
  END IF;
  RETURN tick << s.time_shift;
END $firn$;

CREATE OR REPLACE FUNCTION firn_min(at timestamptz) RETURNS bigint
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $firn$ SELECT firn_min_in(NULL, at) $firn$;

-- Keeps the worker reserved as long as SQL draws with it.
CREATE OR REPLACE FUNCTION firn_keep() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $firn$
DECLARE
  s firn_sql;
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    SELECT * INTO s FROM firn_sql WHERE NOT removed LIMIT 1;
  ELSE
    SELECT * INTO s FROM firn_sql WHERE register = OLD.name AND NOT removed;
  END IF;
  IF FOUND THEN
    IF TG_OP <> 'UPDATE' OR NEW.name <> OLD.name
        OR NOT starts_with(NEW.value, s.reservation) OR strpos(NEW.value, ' until=') > 0 THEN
      RAISE EXCEPTION 'worker % of % makes IDs in SQL (expected: SELECT firn_remove(%) before it is released)',
        s.worker, s.namespace, quote_literal(s.namespace) USING ERRCODE = 'insufficient_privilege';
    END IF;
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $firn$;

DROP TRIGGER IF EXISTS firn_keep ON ${tableName};
CREATE TRIGGER firn_keep BEFORE UPDATE OR DELETE ON ${tableName} FOR EACH ROW
  WHEN (OLD.value LIKE 'firn-worker/1 state=reserved %') EXECUTE FUNCTION firn_keep();
DROP TRIGGER IF EXISTS firn_keep_all ON ${tableName};
CREATE TRIGGER firn_keep_all BEFORE TRUNCATE ON ${tableName} EXECUTE FUNCTION firn_keep();

-- Installs the namespace, unless that was done before.
DO $firn$
DECLARE
  before firn_sql;
BEGIN
  LOCK TABLE firn_sql IN EXCLUSIVE MODE;
  SELECT * INTO before FROM firn_sql WHERE namespace = '${namespace}';
  IF FOUND AND NOT before.removed THEN
    UPDATE firn_sql SET margin_ticks = ${marginTicks} WHERE namespace = '${namespace}';
    PERFORM firn_write();
    RETURN;
  END IF;
  DELETE FROM firn_sql WHERE namespace = '${namespace}';
  CREATE SEQUENCE "${word}" AS bigint MINVALUE 0 MAXVALUE ${maxWord} START 0 CACHE 1;
  PERFORM setval('"${word}"', 0);
  INSERT INTO firn_sql VALUES ('${namespace}', '${tableName}', '${register}', '${reservation}',
    ${worker}, '${layout}', '"${word}"', ${epochMillis}, ${tickMillis}, ${maxTick},
    ${maxBehind}, ${timeBits},
    ${timeShift}, ${sorts}, ${sequenceBits}, ${sequenceShift}, ${workerBits}, ${leadTicks},
    ${marginTicks}, greatest(${sinceTick}, before.base_tick), ${never}, '', false);
  PERFORM firn_reopen('${namespace}');
END $firn$;

REVOKE ALL ON FUNCTION firn_installed(text), firn_check(text, text, text),
  firn_lock(text, regclass), firn_write(),
  firn_reopen(text), firn_remove(text) FROM PUBLIC;

COMMIT;

-- IDs of namespace ${namespace} made in SQL, with worker ${worker}, for PostgreSQL 15 or newer.
-- Printed by: firn sql postgres --namespace ${namespace} --worker ${worker}
-- Run it as the owner of the table ${table}, in its database. It can be run again.
--
--   firn_next('${namespace}')           a new ID, for DEFAULT
--   firn_time(id)                 when an ID was made
--   firn_min(timestamp)           the smallest ID of a time, for WHERE id >= firn_min(…)
--   firn_reopen('${namespace}')         allows draws again, after a restart or promotion
--   firn_remove('${namespace}')         ends draws for good, and returns the newest ID

-- How IDs are made. The word, the tick and the sequence number of the newest ID, is a sum: a number
-- of the sequence ${word}, and what has been jumped over to keep up with the clock, in
-- the sequences ${word}_1 and _2. The first one is what a crash leaves; a crash empties
-- the second, and draws read that. They only grow: a session that jumps has a lock. A draw reads
-- what was jumped over, draws a number, and reads again. If another one has jumped meanwhile, its
-- number does not count: whoever saw the jump may have drawn a smaller number before it, with the
-- same sum. So no word comes twice, and no draw waits for a transaction.

BEGIN;

DO $firn$
DECLARE
  place text;
  seen text;
  recorded text;
BEGIN
  IF version() LIKE 'CockroachDB%' OR current_setting('server_version_num')::int < 150000 THEN
    RAISE EXCEPTION 'database: % (expected: PostgreSQL 15 or newer)', version();
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
  IF EXISTS (SELECT FROM pg_namespace n, aclexplode(n.nspacl) a
      WHERE quote_ident(n.nspname) = place AND a.grantee = 0 AND a.privilege_type = 'CREATE') THEN
    RAISE EXCEPTION 'schema: % (expected: one in which not every role may create objects: some functions have the rights of their owner)', place
      USING HINT = format('REVOKE CREATE ON SCHEMA %s FROM PUBLIC', place);
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
    IF to_regclass('"${word}_2"') IS NULL
        AND EXISTS (SELECT FROM firn_sql WHERE namespace = '${namespace}' AND NOT removed) THEN
      RAISE EXCEPTION 'namespace: ${namespace} has sequences of another version (expected: SELECT firn_remove(''${namespace}'') before this script)';
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
  word text NOT NULL UNIQUE,      -- the sequence
  epoch_millis bigint NOT NULL,
  tick_millis bigint NOT NULL,
  max_tick bigint NOT NULL,
  max_behind bigint NOT NULL,     -- how far IDs may be behind the clock while another session jumps to it
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

-- What changes when the server is restarted or promoted, the sequence restored from a dump, the
-- database copied, or the unlogged sequence altered.
CREATE OR REPLACE FUNCTION firn_identity(word regclass, open_jumps regclass) RETURNS text
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $firn$
  SELECT concat_ws('|',
    to_char(pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00'),
    CAST(word AS oid),
    pg_relation_filepath(open_jumps),
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))
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

-- Lifts the word to the clock, and returns whether it is there. One session does that at a time,
-- and others do not wait for it unless waits is true.
CREATE OR REPLACE FUNCTION firn_lift(of_namespace text, word regclass, jumps regclass, open_jumps regclass,
  clock bigint, bits int, waits boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '30s' AS $firn$
DECLARE
  jumped bigint;
BEGIN
  IF waits THEN
    PERFORM pg_advisory_xact_lock(1181315694, word::oid::int);
  ELSIF NOT pg_try_advisory_xact_lock(1181315694, word::oid::int) THEN
    RETURN false;
  END IF;
  jumped := pg_sequence_last_value(open_jumps);
  jumped := jumped
    + (greatest(clock - ((pg_sequence_last_value(word) + jumped) >> bits), 0) << bits);
  PERFORM setval(jumps, jumped);
  PERFORM setval(open_jumps, jumped);
  RAISE SQLSTATE '57F00'; -- frees the lock; a sequence keeps its value
EXCEPTION
  WHEN SQLSTATE '57F00' THEN
    RETURN true;
  WHEN lock_not_available THEN
    RAISE EXCEPTION 'firn_next: sessions % hold the lock of the word of % for over 30 s (expected: microseconds)',
      (SELECT string_agg(pid::text, ', ') FROM pg_locks WHERE locktype = 'advisory'
        AND classid = 1181315694 AND objid = word::oid AND granted), of_namespace
      USING HINT = 'End them: SELECT pg_terminate_backend(PID)';
END $firn$;

-- Makes firn_next and firn_draw anew, with what the table says as constants: they read no table.
CREATE OR REPLACE FUNCTION firn_write() RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $firn$
DECLARE
  branches text;
BEGIN
  -- What most draws need, without a lock and with few expressions: each costs every transaction. The
  -- search path is the caller's, so that types are exact: else an object of another role may fit better.
  SELECT string_agg(format($branch$
  IF namespace = %1$L THEN
    clock := (floor(date_part('epoch', clock_timestamp()) * 1000::float8)::bigint - %2$s) / %3$s;
    jumped := pg_sequence_last_value(%4$L::regclass);
    IF pg_postmaster_start_time() = %5$L::timestamptz AND %6$L::regclass::oid = %7$s::oid
        AND pg_relation_filepath(%4$L::regclass) = %15$L
        AND (pg_sequence_last_value(%6$L::regclass) + jumped) >> %8$s BETWEEN clock - %9$s AND %10$s THEN
      number := nextval(%6$L::regclass) + jumped;
      IF pg_sequence_last_value(%4$L::regclass) = jumped AND number >> %8$s <= %10$s THEN
        RETURN ((number >> %8$s) << %11$s) | %12$s::bigint | ((number & %13$s::bigint) << %14$s);
      END IF;
    END IF;
  END IF;$branch$,
      namespace, epoch_millis, tick_millis, format('%I.%I', current_schema(), word || '_2'),
      split_part(opened, '|', 1), format('%I.%I', current_schema(), word), split_part(opened, '|', 2),
      sequence_bits, (max_behind + 1) / 2 - 1,
      format('least(greatest(clock, %s + (clock - %s) / 2) + %s, %s)', base_tick, began_tick, lead_ticks, max_tick),
      time_shift, worker_bits, (1::bigint << sequence_bits) - 1, sequence_shift, split_part(opened, '|', 3)), '')
    INTO branches FROM firn_sql WHERE NOT removed AND opened <> '';
  EXECUTE format($next$
CREATE OR REPLACE FUNCTION firn_next(namespace text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $body$
DECLARE
  clock bigint;
  jumped bigint;
  number bigint;
BEGIN
  %s
  RETURN %I.firn_draw(namespace);
END $body$ $next$, branches, current_schema());

  SELECT string_agg(format($branch$
    WHEN %L THEN
      register := %L; reservation := %L; word := %L; jumps := %L; open_jumps := %L; opened := %L;
      epoch_millis := %s; tick_millis := %s; max_tick := %s; max_behind := %s; lead := %s;
      base := %s; began := %s; bits := %s; time_shift := %s; sequence_shift := %s; worker_bits := %s;$branch$,
      namespace, register, reservation, quote_ident(word), quote_ident(word || '_1'),
      quote_ident(word || '_2'), opened, epoch_millis, tick_millis, max_tick,
      max_behind, lead_ticks, base_tick, began_tick, sequence_bits, time_shift, sequence_shift, worker_bits), '')
    INTO branches FROM firn_sql WHERE NOT removed;
  EXECUTE format($draw$
CREATE OR REPLACE FUNCTION firn_draw(namespace text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path FROM CURRENT AS $body$
DECLARE
  register text; reservation text; word regclass; jumps regclass; open_jumps regclass; opened text;
  epoch_millis bigint; tick_millis bigint; max_tick bigint; max_behind bigint;
  lead bigint; base bigint;
  began bigint; bits int; time_shift int; sequence_shift int; worker_bits bigint;
  known bigint;
  clock bigint;
  jumped bigint;
  newest bigint;
  ahead bigint;
  number bigint;
BEGIN
  CASE namespace %s
    WHEN NULL THEN
    ELSE
      RAISE EXCEPTION 'namespace: %% (expected: one that firn sql has installed)', namespace;
  END CASE;
  LOOP
    IF number IS NULL THEN
      clock := (floor(date_part('epoch', clock_timestamp()) * 1000)::bigint - epoch_millis) / tick_millis;
      jumped := pg_sequence_last_value(open_jumps);
      -- A crash of any process of the server takes the newest numbers of a sequence back, and leaves
      -- the server's start time as it was. It empties this sequence, as a promotion does.
      IF jumped IS NULL OR opened <> firn_identity(word, open_jumps) THEN
        RAISE EXCEPTION 'firn_next: the database was restarted, promoted or restored (expected: SELECT firn_reopen(%%) after that)',
          quote_literal(namespace)
          USING HINT = 'Do it once it is certain that only this server serves the database.';
      END IF;
      newest := (pg_sequence_last_value(word) + jumped) >> bits;
      IF clock - newest >= (max_behind + 1) / 2 THEN
        PERFORM firn_check(namespace, register, reservation);
        IF clock <= max_tick
            AND firn_lift(namespace, word, jumps, open_jumps, clock, bits, clock - newest > max_behind) THEN
          CONTINUE;
        END IF; -- else it draws while another one lifts the word
      END IF;
      IF newest <= greatest(clock, base + (clock - began) / 2) + lead THEN
        number := nextval(word) + jumped;
        IF pg_sequence_last_value(open_jumps) <> jumped THEN
          number := NULL; -- it may be the number of another: a gap
          CONTINUE;
        END IF;
      END IF;
    END IF;
    IF greatest(number >> bits, clock) > max_tick THEN
      RAISE EXCEPTION 'firn_next: the time of the layout of %% is over', namespace;
    END IF;
    EXIT WHEN number >> bits <= greatest(clock, base + (clock - began) / 2) + lead;
    -- Too far ahead: wait for the clock, with the number if there is one.
    clock := (floor(date_part('epoch', clock_timestamp()) * 1000)::bigint - epoch_millis) / tick_millis;
    ahead := coalesce(number >> bits, newest) - greatest(clock, base + (clock - began) / 2) - lead;
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
        WHERE f.namespace = firn_draw.namespace;
      CONTINUE;
    END IF;
    PERFORM pg_sleep(greatest(ahead * tick_millis, 1) / 1000.0);
  END LOOP;
  RETURN ((number >> bits) << time_shift) | worker_bits
    | ((number & ((1::bigint << bits) - 1)) << sequence_shift);
END $body$ $draw$, branches);
END $firn$;

-- Lifts the word past every ID that may have been drawn, and allows draws.
CREATE OR REPLACE FUNCTION firn_reopen(namespace text) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $firn$
DECLARE
  s firn_sql := firn_installed(namespace);
  numbers regclass := quote_ident(s.word);
  jumps regclass := quote_ident(s.word || '_1');
  open_jumps text := quote_ident(s.word || '_2');
  path text := pg_relation_filepath(to_regclass(open_jumps));
  clock bigint;
  newest bigint;
  base bigint;
BEGIN
  PERFORM firn_check(namespace, s.register, s.reservation);
  PERFORM set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');
  PERFORM pg_advisory_xact_lock(1181315694, numbers::oid::int);
  -- New, or without what they had: a schema may be copied without its data.
  PERFORM setval(unused, 0) FROM unnest(ARRAY[numbers, jumps]) unused
    WHERE pg_sequence_last_value(unused) IS NULL;
  clock := (floor(date_part('epoch', clock_timestamp()) * 1000)::bigint - s.epoch_millis) / s.tick_millis;
  newest := (pg_sequence_last_value(numbers) + pg_sequence_last_value(jumps)) >> s.sequence_bits;
  base := greatest(clock + s.margin_ticks, newest,
    s.base_tick + greatest(clock + s.margin_ticks - s.began_tick, 0) / 2) + s.lead_ticks + 1;
  PERFORM setval(jumps, greatest(pg_sequence_last_value(jumps),
    (base << s.sequence_bits) - pg_sequence_last_value(numbers))); -- sessions may draw meanwhile
  BEGIN -- fails where PostgreSQL promoted a standby before it had written the file for that
    newest := pg_sequence_last_value(to_regclass(open_jumps));
  EXCEPTION WHEN internal_error THEN
    path := NULL;
  END;
  -- What ALTER SEQUENCE writes is what a crash leaves: it has to be nothing.
  IF split_part(s.opened, '|', 3) IS DISTINCT FROM path THEN
    EXECUTE format('DROP SEQUENCE IF EXISTS %s', open_jumps);
    EXECUTE format('CREATE UNLOGGED SEQUENCE %s MINVALUE 0 START 0', open_jumps);
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO PUBLIC', open_jumps);
    EXECUTE format('GRANT USAGE ON SEQUENCE %s TO PUBLIC', numbers);
  END IF;
  PERFORM setval(open_jumps, pg_sequence_last_value(jumps));
  UPDATE firn_sql f SET base_tick = base, began_tick = clock, opened = firn_identity(numbers, open_jumps)
    WHERE f.namespace = s.namespace;
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
  -- Locks, in the order in which draws read the sequences.
  EXECUTE format('DROP SEQUENCE IF EXISTS %I', s.word || '_2');
  EXECUTE format('ALTER SEQUENCE %I INCREMENT 1', s.word);
  newest := pg_sequence_last_value(quote_ident(s.word))
    + pg_sequence_last_value(quote_ident(s.word || '_1'));
  EXECUTE format('DROP SEQUENCE %I, %I', s.word, s.word || '_1');
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
  CREATE SEQUENCE "${word}" MINVALUE 0 START 0 CACHE 1;
  CREATE SEQUENCE "${word}_1" MINVALUE 0 START 0;
  INSERT INTO firn_sql VALUES ('${namespace}', '${tableName}', '${register}', '${reservation}',
    ${worker}, '${layout}', '${word}', ${epochMillis}, ${tickMillis}, ${maxTick},
    ${maxBehind}, ${timeBits},
    ${timeShift}, ${sorts}, ${sequenceBits}, ${sequenceShift}, ${workerBits}, ${leadTicks},
    ${marginTicks}, greatest(${sinceTick}, before.base_tick), ${never}, '', false);
  PERFORM firn_reopen('${namespace}');
END $firn$;

REVOKE ALL ON FUNCTION firn_installed(text), firn_check(text, text, text),
  firn_lift(text, regclass, regclass, regclass, bigint, int, boolean), firn_write(),
  firn_reopen(text), firn_remove(text) FROM PUBLIC;

COMMIT;

-- IDs of namespace ${namespace} made in SQL, with worker ${worker}, for MariaDB 10.6 or newer.
-- Printed by: firn sql mariadb --namespace ${namespace} --worker ${worker}
-- Run it with the client mariadb in the database of the table ${table}. It can be run again.
--
--   firn_next('${namespace}')           a new ID, for a trigger
--   firn_time(id)                 when an ID was made, in UTC
--   firn_min(datetime)            the smallest ID of a time in UTC, for WHERE id >= firn_min(…)
--   CALL firn_reopen('${namespace}')    allows draws again, after a restart or promotion
--   CALL firn_remove('${namespace}')    ends draws for good, and returns the newest ID
--
-- MariaDB does not allow stored functions in DEFAULT. A table that makes its IDs:
--
--   CREATE TABLE invoices (id bigint NOT NULL DEFAULT 0 PRIMARY KEY, …);
--   CREATE TRIGGER invoices_id BEFORE INSERT ON invoices FOR EACH ROW
--     SET NEW.id = IF(COALESCE(NEW.id, 0) = 0, firn_next('${namespace}'), NEW.id);

-- How IDs are made. NEXTVAL is all that a stored function may do to a sequence, so the word is a sum:
-- a number of the sequence ${word}, and what has been jumped over to keep up with the
-- clock, in the sequences ${word}_1 and _2, which jump ${jumpTicks} and ${jumpTicks} * 4096 ticks.
-- All of them only grow. A session reads the next number, then what was jumped over, and then draws.
-- Its number counts only if fewer than one jump's numbers were drawn since it read the first: whoever
-- saw a later jump read it after that, so its number is not smaller by a jump, and no word comes
-- twice. Until then it need not read again. Its word is behind others' if it missed a jump, so then it
-- is behind the clock, and it reads again. No draw waits for a transaction.

${use}SET SESSION lock_wait_timeout = LEAST(@@lock_wait_timeout, 10);
DELIMITER //

BEGIN NOT ATOMIC
  DECLARE seen text;
  DECLARE problem text;
  IF VERSION() NOT LIKE '%MariaDB%' OR @@wsrep_on THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'database: MySQL or a Galera cluster (expected: MariaDB 10.6 or newer, without wsrep_on)';
  END IF;
  SELECT MAX(value) INTO seen FROM ${tableName} WHERE name = '${register}';
  IF seen IS NULL OR LEFT(seen, ${reservationLength}) <> '${reservation}'
      OR LOCATE(' until=', seen) > 0 THEN
    SET problem = CONCAT('worker: ${worker} (expected: reserved in this database; its register has: ',
      COALESCE(seen, 'nothing'), '). ${reserve}');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
  END IF;
  SELECT MAX(value) INTO seen FROM ${tableName} WHERE name = '${namespace}/layout';
  IF COALESCE(LOCATE(' layout=${layout} ', CONCAT(seen, ' ')), 0) = 0 THEN
    SET problem = CONCAT('layout: ${layout} (expected: that of namespace ${namespace}: ',
      COALESCE(seen, 'nothing'), ')');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
  END IF;
  IF NOT ${outsideWatermark} AND EXISTS
      (SELECT 1 FROM ${tableName} WHERE name = '${namespace}/watermark') THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'namespace: ${namespace} (expected: one without a watermark, or firn sql with --outside-watermark)';
  END IF;
END//

CREATE TABLE IF NOT EXISTS firn_sql (
  namespace varchar(64) PRIMARY KEY,
  registers varchar(140) NOT NULL COMMENT 'the table of registers',
  register varchar(200) NOT NULL COMMENT 'of the worker',
  reservation varchar(200) NOT NULL COMMENT 'how the register begins',
  worker bigint NOT NULL,
  layout varchar(100) NOT NULL,
  word varchar(64) NOT NULL UNIQUE COMMENT 'the sequence',
  epoch_millis bigint NOT NULL,
  tick_millis bigint NOT NULL,
  max_tick bigint NOT NULL,
  time_bits int NOT NULL,
  time_shift int NOT NULL,
  sorts boolean NOT NULL COMMENT 'whether IDs grow with time',
  sequence_bits int NOT NULL,
  sequence_shift int NOT NULL,
  worker_bits bigint NOT NULL COMMENT 'in their place',
  lead_ticks bigint NOT NULL COMMENT 'how far IDs run ahead of the clock at most',
  margin_ticks bigint NOT NULL COMMENT 'differences of clocks, and how long a replaced server goes on',
  base_tick bigint NOT NULL COMMENT 'where the last reopening lifted the word to',
  began_tick bigint NOT NULL COMMENT 'the clock then',
  removed boolean NOT NULL,
  code mediumtext NOT NULL COMMENT 'of the namespace in firn_next'
) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin//

-- A restart empties it: draws are refused until firn_reopen. It names the server, for its replicas.
CREATE TABLE IF NOT EXISTS firn_sql_open (
  namespace varchar(64) PRIMARY KEY,
  server bigint NOT NULL,
  base_tick bigint NOT NULL,
  began_tick bigint NOT NULL
) ENGINE=MEMORY CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin//

BEGIN NOT ATOMIC
  DECLARE seen text;
  DECLARE problem text;
  SELECT MAX(CONCAT('worker ', worker, ' of the table ', registers)) INTO seen FROM firn_sql
    WHERE namespace = '${namespace}' AND NOT removed
      AND (worker <> ${worker} OR registers <> '${tableName}');
  IF seen IS NOT NULL THEN
    SET problem = CONCAT('namespace: ${namespace} draws with ', seen,
      ' (expected: worker ${worker} of ${tableName}; CALL firn_remove(''${namespace}'') ends that)');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
  END IF;
END//

-- The milliseconds of the clock now: NOW() stands still in a statement, and a local time may come
-- twice. So it is the statement's beginning in UTC, and what has passed since; where that is not
-- known, as after SET timestamp or in a long statement, the time in a new UUID.
CREATE OR REPLACE FUNCTION firn_clock() RETURNS bigint NO SQL
BEGIN
  DECLARE passed bigint DEFAULT TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6));
  IF passed BETWEEN 0 AND 1500000000 THEN
    RETURN (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + passed) DIV 1000;
  END IF;
  RETURN ${realClock};
END//

-- Makes firn_next anew: a stored function names its sequences itself. Where it can, it runs no query
-- and evaluates few expressions, and it has one local variable: each costs every call.
CREATE OR REPLACE PROCEDURE firn_write() MODIFIES SQL DATA
BEGIN
  DECLARE branches mediumtext;
  SET SESSION group_concat_max_len = GREATEST(@@group_concat_max_len, 1048576);
  -- The variables of a session are those of all databases of the server, in upper and lower case.
  SELECT GROUP_CONCAT(REPLACE(code, '@`firn_kept', CONCAT('@`firn_', MD5(CONCAT(DATABASE(), ' ', namespace))))
    SEPARATOR '') INTO branches FROM firn_sql
    WHERE NOT removed AND NOT namespace <=> @firn_without;
  EXECUTE IMMEDIATE CONCAT('CREATE OR REPLACE FUNCTION firn_next(',
    'of_namespace varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin)',
    ' RETURNS bigint READS SQL DATA\nBEGIN\nDECLARE number bigint;\n',
    COALESCE(branches, ''), 'SET @firn_problem = CONCAT(''namespace: '', COALESCE(of_namespace, ''NULL''),',
    ' '' (expected: one that firn sql has installed)'');\n',
    'SIGNAL SQLSTATE ''45000'' SET MESSAGE_TEXT = @firn_problem;\nRETURN NULL;\nEND');
END//

-- Reads the word: its next number, and what was jumped over.
CREATE OR REPLACE PROCEDURE firn_read(IN word varchar(64)) MODIFIES SQL DATA
  EXECUTE IMMEDIATE CONCAT('SELECT w.next_not_cached_value, a.next_not_cached_value',
    ' + b.next_not_cached_value INTO @firn_word, @firn_jumped FROM `', word, '` w, `', word,
    '_1` a, `', word, '_2` b')//

-- Lifts the word past every ID that may have been drawn, and allows draws.
CREATE OR REPLACE PROCEDURE firn_reopen(IN of_namespace varchar(64)
  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin) MODIFIES SQL DATA
BEGIN
  DECLARE problem text;
  DECLARE my_register, my_reservation varchar(200);
  DECLARE my_word varchar(200);
  DECLARE seen text;
  DECLARE my_epoch, my_tick, my_per_tick, my_lead, my_margin, my_base, my_began, my_clock,
    new_base bigint;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    ROLLBACK;
    DO RELEASE_LOCK(COALESCE(my_word, 'firn'));
    RESIGNAL;
  END;
  IF @@log_bin AND @@binlog_format = 'STATEMENT' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'binlog_format: STATEMENT (expected: MIXED or ROW, for a replica would draw other IDs)';
  END IF;
  IF SLEEP(0.01) = 0 AND SYSDATE(6) = NOW(6) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'sysdate-is-now: ON (expected: OFF, for a draw that waits for the clock would wait forever)';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_name = 'firn_sql_open' AND engine = 'MEMORY') THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'firn_sql_open: of another engine (expected: MEMORY, which a restart empties; without enforce_storage_engine: ALTER TABLE firn_sql_open ENGINE = MEMORY)';
  END IF;
  START TRANSACTION;
  SELECT register, reservation, word, epoch_millis, tick_millis, 1 << sequence_bits, lead_ticks,
      margin_ticks, base_tick, began_tick
    INTO my_register, my_reservation, my_word, my_epoch, my_tick, my_per_tick, my_lead, my_margin,
      my_base, my_began
    FROM firn_sql WHERE namespace = of_namespace AND NOT removed FOR UPDATE;
  IF my_word IS NULL THEN
    SET problem = CONCAT('namespace: ', COALESCE(of_namespace, 'NULL'),
      ' (expected: one that firn sql has installed)');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
  END IF;
  SELECT MAX(value) INTO seen FROM ${tableName} WHERE name = my_register;
  IF seen IS NULL OR LEFT(seen, CHAR_LENGTH(my_reservation)) <> my_reservation
      OR LOCATE(' until=', seen) > 0 THEN
    SET problem = CONCAT('firn_reopen: worker not reserved any more (expected: ', my_reservation,
      '… in register ', my_register, ', it has: ', COALESCE(seen, 'nothing'), ')');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
  END IF;
  -- Twice: first for draws, which must know of it before it is done, and then while none jumps.
  FOR look IN 1..2 DO
    CALL firn_read(my_word);
    SET my_clock = (firn_clock() - my_epoch) DIV my_tick;
    SET new_base = GREATEST(my_clock + my_margin, (@firn_word + @firn_jumped) DIV my_per_tick,
      my_base + GREATEST(my_clock + my_margin - my_began, 0) DIV 2) + my_lead + 1;
    IF look = 1 THEN -- waits for statements that draw, and these for who jumps
      UPDATE firn_sql_open SET base_tick = new_base, began_tick = my_clock
        WHERE namespace = of_namespace AND server = @@server_id;
      IF NOT GET_LOCK(my_word, 10) <=> 1 THEN
        SET problem = CONCAT('firn_reopen: connection ', COALESCE(IS_USED_LOCK(my_word), 0),
          ' holds the lock ', my_word, ' for over 10 s (expected: milliseconds); end it: KILL CONNECTION');
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
      END IF;
    END IF;
  END FOR;
  SET my_base = new_base;
  EXECUTE IMMEDIATE CONCAT('DO SETVAL(`', my_word, '`, ', my_base * my_per_tick - @firn_jumped, ', 0)');
  DO RELEASE_LOCK(my_word);
  UPDATE firn_sql SET base_tick = my_base, began_tick = my_clock WHERE namespace = of_namespace;
  COMMIT; -- before a draw uses it
  REPLACE INTO firn_sql_open VALUES (of_namespace, @@server_id, my_base, my_clock);
  COMMIT;
  SELECT TIMESTAMPADD(MICROSECOND, (my_epoch + my_base * my_tick) * 1000, '1970-01-01') AS firn_reopen;
END//

-- Ends draws when the statements that draw have ended, and returns the newest ID.
CREATE OR REPLACE PROCEDURE firn_remove(IN of_namespace varchar(64)
  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin) MODIFIES SQL DATA
BEGIN
  DECLARE problem text;
  DECLARE my_word, my_registers varchar(140);
  DECLARE newest bigint;
  DECLARE my_timeout bigint DEFAULT @@lock_wait_timeout;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    SET @firn_without = NULL;
    EXECUTE IMMEDIATE CONCAT('SET SESSION lock_wait_timeout = ', my_timeout);
    RESIGNAL;
  END;
  SELECT word, registers INTO my_word, my_registers FROM firn_sql
    WHERE namespace = of_namespace AND NOT removed;
  IF my_word IS NULL THEN
    SET problem = CONCAT('namespace: ', COALESCE(of_namespace, 'NULL'),
      ' (expected: one that firn sql has installed)');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
  END IF;
  DELETE FROM firn_sql_open WHERE namespace = of_namespace;
  -- Waits for transactions that have drawn. If that takes too long, call this again.
  SET SESSION lock_wait_timeout = LEAST(@@lock_wait_timeout, 10);
  SET @firn_without = of_namespace;
  CALL firn_write(); -- a session that has read the sequences does not look whether it is open
  SET @firn_without = NULL;
  EXECUTE IMMEDIATE CONCAT('ALTER TABLE ', my_registers,
    ' DROP CONSTRAINT IF EXISTS `firn_remove', SUBSTR(my_word, CHAR_LENGTH('firn_word') + 1), '`');
  UPDATE firn_sql SET removed = TRUE WHERE namespace = of_namespace;
  COMMIT;
  DELETE FROM firn_sql_open WHERE namespace = of_namespace; -- if it was reopened meanwhile
  CALL firn_read(my_word);
  SET newest = @firn_word + @firn_jumped - 1;
  UPDATE firn_sql SET base_tick = GREATEST(base_tick, newest DIV (1 << sequence_bits))
    WHERE namespace = of_namespace;
  COMMIT;
  EXECUTE IMMEDIATE CONCAT('DROP SEQUENCE `', my_word, '`, `', my_word, '_1`, `', my_word, '_2`');
  EXECUTE IMMEDIATE CONCAT('SET SESSION lock_wait_timeout = ', my_timeout);
  SELECT (newest DIV (1 << sequence_bits)) * (1 << time_shift) + worker_bits
      + (newest MOD (1 << sequence_bits)) * (1 << sequence_shift) AS firn_remove
    FROM firn_sql WHERE namespace = of_namespace;
END//

-- Which namespace: that of this name, or any if all have the same layout.
CREATE OR REPLACE FUNCTION firn_layout_of(of_namespace varchar(64)
  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin) RETURNS varchar(64)
  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DETERMINISTIC READS SQL DATA
BEGIN
  DECLARE problem text;
  DECLARE found_name varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE layouts int;
  SELECT MIN(namespace), COUNT(DISTINCT layout) INTO found_name, layouts FROM firn_sql
    WHERE of_namespace IS NULL OR namespace = of_namespace;
  IF layouts > 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'firn_time, firn_min: several layouts (expected: firn_time_in or firn_min_in, which name a namespace)';
  ELSEIF layouts = 0 THEN
    SET problem = CONCAT('namespace: ', COALESCE(of_namespace, 'NULL'),
      ' (expected: one that firn sql has installed)');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
  END IF;
  RETURN found_name;
END//

CREATE OR REPLACE FUNCTION firn_time_in(of_namespace varchar(64), id bigint)
RETURNS datetime(3) DETERMINISTIC READS SQL DATA
BEGIN
  DECLARE of_layout varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin
    DEFAULT firn_layout_of(of_namespace);
  RETURN (SELECT TIMESTAMPADD(MICROSECOND, (epoch_millis
      + CAST((id >> time_shift) & ((1 << time_bits) - 1) AS SIGNED) * tick_millis) * 1000, '1970-01-01')
    FROM firn_sql WHERE namespace = of_layout);
END//

CREATE OR REPLACE FUNCTION firn_time(id bigint) RETURNS datetime(3) DETERMINISTIC READS SQL DATA
RETURN firn_time_in(NULL, id)//

CREATE OR REPLACE FUNCTION firn_min_in(of_namespace varchar(64), at datetime(6))
RETURNS bigint DETERMINISTIC READS SQL DATA
BEGIN
  DECLARE of_layout varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin
    DEFAULT firn_layout_of(of_namespace);
  DECLARE my_max, my_shift, tick bigint;
  DECLARE my_sorts boolean;
  DECLARE problem text;
  SELECT FLOOR((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', at) / 1000 - epoch_millis) / tick_millis),
      max_tick, time_shift, sorts
    INTO tick, my_max, my_shift, my_sorts FROM firn_sql WHERE namespace = of_layout;
  IF NOT my_sorts OR tick IS NULL OR tick < 0 OR tick > my_max THEN
    SET problem = CONCAT('firn_min: ', COALESCE(at, 'NULL'), ' (expected: a time of the layout, whose IDs grow with time)');
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
  END IF;
  RETURN tick * (1 << my_shift);
END//

CREATE OR REPLACE FUNCTION firn_min(at datetime(6)) RETURNS bigint DETERMINISTIC READS SQL DATA
RETURN firn_min_in(NULL, at)//

-- Keeps the worker reserved as long as SQL draws with it. It is no trigger, because that takes
-- LAST_INSERT_ID away from the store's updates, which then look as if they had failed.
ALTER TABLE ${tableName} ADD CONSTRAINT IF NOT EXISTS `${constraint}` CHECK (name <> '${register}'
  OR (value LIKE '${reservation}%' AND LOCATE(' until=', value) = 0))//

CREATE SEQUENCE IF NOT EXISTS `${word}` START WITH 1 MAXVALUE ${maxWord} CACHE ${cached}//
CREATE SEQUENCE IF NOT EXISTS `${word}_1`
  START WITH 0 MINVALUE 0 INCREMENT BY ${jump1} NOCACHE//
CREATE SEQUENCE IF NOT EXISTS `${word}_2`
  START WITH 0 MINVALUE 0 INCREMENT BY ${jump2} NOCACHE//

BEGIN NOT ATOMIC
  IF EXISTS (SELECT 1 FROM `${word}_1` WHERE increment <> ${jump1}) OR EXISTS
      (SELECT 1 FROM firn_sql WHERE namespace = '${namespace}' AND NOT removed AND word <> '${word}') THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'namespace: ${namespace} has sequences of another version (expected: CALL firn_remove(''${namespace}'') before this script)';
  END IF;
END//

-- Installs the namespace, unless that was done before.
BEGIN NOT ATOMIC
  DECLARE installed, before_base bigint;
  DECLARE my_code mediumtext DEFAULT '${code}';
  SELECT MAX(base_tick) INTO before_base FROM firn_sql WHERE namespace = '${namespace}' AND removed;
  SELECT COUNT(*) INTO installed FROM firn_sql WHERE namespace = '${namespace}' AND NOT removed;
  IF installed = 1 THEN
    UPDATE firn_sql SET margin_ticks = ${marginTicks}, code = my_code WHERE namespace = '${namespace}';
    COMMIT;
    CALL firn_write();
  ELSE
    REPLACE INTO firn_sql VALUES ('${namespace}', '${tableName}', '${register}', '${reservation}',
      ${worker}, '${layout}', '${word}', ${epochMillis}, ${tickMillis}, ${maxTick}, ${timeBits},
      ${timeShift}, ${sorts}, ${sequenceBits}, ${sequenceShift}, ${workerBits}, ${leadTicks},
      ${marginTicks}, GREATEST(${sinceTick}, COALESCE(before_base, 0)), ${never}, FALSE, my_code);
    COMMIT;
    CALL firn_write();
    CALL firn_reopen('${namespace}');
  END IF;
END//

DELIMITER ;

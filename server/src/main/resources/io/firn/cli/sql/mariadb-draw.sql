IF of_namespace = '${namespace}' THEN
BEGIN
  DECLARE seen text;
  DECLARE my_server bigint;
  DECLARE base, began, clock, word, jumped, jumped_after, behind, ahead, waits bigint;
  DECLARE number bigint DEFAULT drawn;
  SELECT server, base_tick, began_tick INTO my_server, base, began FROM firn_sql_open
    WHERE namespace = '${namespace}';
  IF NOT my_server <=> @@server_id THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'firn_next: the database was restarted, promoted or restored (expected: CALL firn_reopen(''${namespace}'') once it is certain that only this server serves it)';
  END IF;
  IF @@log_bin AND @@binlog_format = 'STATEMENT' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'binlog_format: STATEMENT (expected: MIXED or ROW, for a replica would draw other IDs)';
  END IF;
  drawing: LOOP
    SET clock = (firn_clock() - ${epochMillis}) DIV ${tickMillis};
    IF number IS NULL THEN
      IF word IS NULL THEN
        SELECT STRAIGHT_JOIN `${word}`.next_not_cached_value, `${word}_1`.next_not_cached_value + `${word}_2`.next_not_cached_value
          INTO word, jumped FROM `${word}`, `${word}_1`, `${word}_2`;
      END IF;
      SET behind = clock - (word + jumped) DIV ${perTick};
      SET ahead = - behind - ${leadTicks};
      IF behind >= ${jumpTicks} THEN
        SELECT MAX(value) INTO seen FROM ${tableName} WHERE name = '${register}';
        IF seen IS NULL OR LEFT(seen, ${reservationLength}) <> '${reservation}'
            OR LOCATE(' until=', seen) > 0 THEN
          SET problem = CONCAT('firn_next: worker ${worker} of ${namespace} is not reserved any more (expected: ${reservation}… in register ${register}, it has: ', COALESCE(seen, 'nothing'), ')');
          SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
        END IF;
        IF clock > ${maxTick} THEN
          SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
            'firn_next: the time of the layout of ${namespace} is over';
        END IF;
        -- Sessions that jump at once would jump too far: one of them does.
        WHILE IS_USED_LOCK('${word}') = CONNECTION_ID() DO -- a statement was killed with it
          DO RELEASE_LOCK('${word}');
        END WHILE;
        IF GET_LOCK('${word}', 0) = 1 THEN
          SELECT STRAIGHT_JOIN clock - (`${word}`.next_not_cached_value + `${word}_1`.next_not_cached_value + `${word}_2`.next_not_cached_value)
              DIV ${perTick} INTO behind FROM `${word}`, `${word}_1`, `${word}_2`;
          WHILE behind >= 4096 * ${jumpTicks} DO
            DO NEXTVAL(`${word}_2`);
            SET behind = behind - 4096 * ${jumpTicks};
          END WHILE;
          WHILE behind >= ${jumpTicks} DO
            DO NEXTVAL(`${word}_1`);
            SET behind = behind - ${jumpTicks};
          END WHILE;
          DO RELEASE_LOCK('${word}');
          SET word = NULL;
          ITERATE drawing;
        ELSEIF behind >= 2 * ${jumpTicks} THEN
          SET waits = COALESCE(waits, 0) + 1;
          IF waits > 10000 THEN
            SET problem = CONCAT('firn_next: connection ', COALESCE(IS_USED_LOCK('${word}'), 0), ' holds the lock ${word} for over 10 s (expected: milliseconds); end it: KILL CONNECTION');
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
          END IF;
          DO SLEEP(0.001);
          SET word = NULL;
          ITERATE drawing;
        END IF; -- else it draws while another one jumps
      END IF;
      IF ahead <= 0 OR (word + jumped) DIV ${perTick} <= base + (clock - began) DIV 2 + ${leadTicks} THEN
        SET number = NEXTVAL(`${word}`);
        SELECT STRAIGHT_JOIN `${word}_1`.next_not_cached_value + `${word}_2`.next_not_cached_value INTO jumped_after
          FROM `${word}_1`, `${word}_2`;
        IF jumped_after <> jumped THEN -- the number has no place of its own: a gap
          SET number = NULL;
          SET word = NULL;
          ITERATE drawing;
        END IF;
        SET number = number + jumped;
      END IF;
    END IF;
    SET ahead = COALESCE(number, word + jumped) DIV ${perTick} - GREATEST(clock, base + (clock - began) DIV 2) - ${leadTicks};
    IF number IS NOT NULL AND ahead <= 0 THEN
      RETURN number DIV ${perTick} * ${timeStep} + ${workerBits} + number MOD ${perTick} * ${sequenceStep};
    END IF;
    IF ahead * ${tickMillis} > 5000 THEN
      SET problem = CONCAT('firn_next: the clock of the database is ', (ahead + ${leadTicks}) * ${tickMillis}, ' ms behind the newest ID of ${namespace} (expected: ${leadMillis} at most); correct it, or wait');
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
    END IF;
    DO SLEEP(GREATEST(ahead * ${tickMillis}, 1) / 1000);
    SET word = NULL;
  END LOOP;
END;
END IF;

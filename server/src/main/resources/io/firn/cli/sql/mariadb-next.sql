IF of_namespace = '${namespace}' THEN
BEGIN
  DECLARE my_server, seen text;
  DECLARE base, began, passed, clock, word, jumped, jumped_after, number, behind, ahead, waits bigint;
  SELECT server, base_tick, began_tick INTO my_server, base, began FROM firn_sql_open
    WHERE namespace = '${namespace}';
  IF NOT my_server <=> CONCAT(@@hostname, '/', @@server_id) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'firn_next: the database was restarted, promoted or restored (expected: CALL firn_reopen(''${namespace}'') once it is certain that only this server serves it)';
  END IF;
  IF @@log_bin AND @@binlog_format = 'STATEMENT' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'binlog_format: STATEMENT (expected: MIXED or ROW, for a replica would draw other IDs)';
  END IF;
  drawing: LOOP
    SET passed = TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)); -- as in firn_clock, which costs a call
    SET clock = (IF(passed BETWEEN 0 AND 1500000000,
        (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + passed) DIV 1000, firn_clock())
      - ${epochMillis}) DIV ${tickMillis};
    IF number IS NULL THEN
      IF word IS NULL THEN
        SELECT STRAIGHT_JOIN w.next_not_cached_value, a.next_not_cached_value + b.next_not_cached_value
          INTO word, jumped FROM `${word}` w, `${word}_1` a, `${word}_2` b;
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
          SELECT STRAIGHT_JOIN clock - (w.next_not_cached_value + a.next_not_cached_value + b.next_not_cached_value)
              DIV ${perTick} INTO behind FROM `${word}` w, `${word}_1` a, `${word}_2` b;
          WHILE behind >= 4096 * ${jumpTicks} DO
            DO NEXTVAL(`${word}_2`);
            SET behind = behind - 4096 * ${jumpTicks};
          END WHILE;
          WHILE behind >= ${jumpTicks} DO
            DO NEXTVAL(`${word}_1`);
            SET behind = behind - ${jumpTicks};
          END WHILE;
          DO RELEASE_LOCK('${word}');
        ELSE
          SET waits = COALESCE(waits, 0) + 1;
          IF waits > 10000 THEN
            SET problem = CONCAT('firn_next: connection ', COALESCE(IS_USED_LOCK('${word}'), 0), ' holds the lock ${word} for over 10 s (expected: milliseconds); end it: KILL CONNECTION');
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = problem;
          END IF;
          DO SLEEP(0.001);
        END IF;
        SET word = NULL;
        ITERATE drawing;
      END IF;
      IF ahead <= 0 OR (word + jumped) DIV ${perTick} <= base + (clock - began) DIV 2 + ${leadTicks} THEN
        SET number = NEXTVAL(`${word}`);
        SELECT STRAIGHT_JOIN a.next_not_cached_value + b.next_not_cached_value INTO jumped_after
          FROM `${word}_1` a, `${word}_2` b;
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

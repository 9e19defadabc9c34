IF of_namespace = '${namespace}' THEN
${kept}  SET @firn_passed = TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6));
  SET @firn_clock = ${clock};
  SELECT STRAIGHT_JOIN GREATEST(@firn_clock, base_tick + (@firn_clock - began_tick) DIV 2) + ${leadTicks},
      `${word}`.next_not_cached_value, `${word}_1`.next_not_cached_value + `${word}_2`.next_not_cached_value, NEXTVAL(`${word}`)
    INTO @firn_limit, @firn_word, @firn_jumped, number FROM firn_sql_open, `${word}`, `${word}_1`, `${word}_2`
    WHERE namespace = '${namespace}' AND server = @@server_id AND @@binlog_format <> 'STATEMENT'
      AND (`${word}`.next_not_cached_value + `${word}_1`.next_not_cached_value
        + `${word}_2`.next_not_cached_value) DIV ${perTick}
        BETWEEN @firn_clock + 1 - ${behindTicks} AND GREATEST(@firn_clock, base_tick + (@firn_clock - began_tick) DIV 2) + ${leadTicks};
  IF number < @firn_word + ${room} THEN
    SET number = number + @firn_jumped;
    IF number <= ${maxWord} AND number DIV ${perTick} <= @firn_limit THEN
      SET @`firn_kept_jumped` = @firn_jumped; -- before the limit that lets it be used
      SET @`firn_kept_from` = ${epochMillis} + (@firn_clock - @firn_limit) * ${tickMillis};
      SET @`firn_kept` = LEAST(@firn_word + @firn_jumped + ${room}, (@firn_limit + 1) * ${perTick}, ${maxWord} + 1);
      RETURN ${id};
    END IF;
  ELSE
    SET number = NULL;
  END IF;
  SET @firn_server = NULL;
  SET @firn_waits = 0;
  SELECT server, base_tick, began_tick INTO @firn_server, @firn_base, @firn_began FROM firn_sql_open
    WHERE namespace = '${namespace}';
  IF NOT @firn_server <=> @@server_id THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'firn_next: the database was restarted, promoted or restored (expected: CALL firn_reopen(''${namespace}'') once it is certain that only this server serves it)';
  END IF;
  IF @@log_bin AND @@binlog_format = 'STATEMENT' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'binlog_format: STATEMENT (expected: MIXED or ROW, for a replica would draw other IDs)';
  END IF;
  SET @firn_word = NULL;
  drawing: LOOP
    SET @firn_passed = TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6));
    SET @firn_clock = ${clock};
    IF number IS NULL THEN
      IF @firn_word IS NULL THEN
        SELECT STRAIGHT_JOIN `${word}`.next_not_cached_value, `${word}_1`.next_not_cached_value + `${word}_2`.next_not_cached_value
          INTO @firn_word, @firn_jumped FROM `${word}`, `${word}_1`, `${word}_2`;
      END IF;
      SET @firn_behind = @firn_clock - (@firn_word + @firn_jumped) DIV ${perTick};
      SET @firn_ahead = - @firn_behind - ${leadTicks};
      IF @firn_behind >= ${behindTicks} THEN
        SELECT MAX(value) INTO @firn_seen FROM ${tableName} WHERE name = '${register}';
        IF @firn_seen IS NULL OR LEFT(@firn_seen, ${reservationLength}) <> '${reservation}'
            OR LOCATE(' until=', @firn_seen) > 0 THEN
          SET @firn_problem = CONCAT('firn_next: worker ${worker} of ${namespace} is not reserved any more (expected: ${reservation}… in register ${register}, it has: ', COALESCE(@firn_seen, 'nothing'), ')');
          SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = @firn_problem;
        END IF;
        IF @firn_clock > ${maxTick} THEN
          SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
            'firn_next: the time of the layout of ${namespace} is over';
        END IF;
        -- Sessions that jump at once would jump too far: one of them does.
        WHILE IS_USED_LOCK('${word}') = CONNECTION_ID() DO -- a statement was killed with it
          DO RELEASE_LOCK('${word}');
        END WHILE;
        IF GET_LOCK('${word}', 0) = 1 THEN
          SELECT STRAIGHT_JOIN @firn_clock - (`${word}`.next_not_cached_value + `${word}_1`.next_not_cached_value + `${word}_2`.next_not_cached_value)
              DIV ${perTick} INTO @firn_behind FROM `${word}`, `${word}_1`, `${word}_2`;
          WHILE @firn_behind >= 4096 * ${jumpTicks} DO
            DO NEXTVAL(`${word}_2`);
            SET @firn_behind = @firn_behind - 4096 * ${jumpTicks};
          END WHILE;
          WHILE @firn_behind >= ${behindTicks} DO
            DO NEXTVAL(`${word}_1`);
            SET @firn_behind = @firn_behind - ${jumpTicks};
          END WHILE;
          DO RELEASE_LOCK('${word}');
          SET @firn_word = NULL;
          ITERATE drawing;
        ELSEIF @firn_behind >= 2 * ${behindTicks} THEN
          SET @firn_waits = @firn_waits + 1;
          IF @firn_waits > 10000 THEN
            SET @firn_problem = CONCAT('firn_next: connection ', COALESCE(IS_USED_LOCK('${word}'), 0), ' holds the lock ${word} for over 10 s (expected: milliseconds); end it: KILL CONNECTION');
            SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = @firn_problem;
          END IF;
          DO SLEEP(0.001);
          SET @firn_word = NULL;
          ITERATE drawing;
        END IF; -- else it draws while another one jumps
      END IF;
      IF @firn_ahead <= 0 OR (@firn_word + @firn_jumped) DIV ${perTick} <= @firn_base + (@firn_clock - @firn_began) DIV 2 + ${leadTicks} THEN
        SET number = NEXTVAL(`${word}`);
        IF number >= @firn_word + ${room} THEN -- the number may have no place of its own: a gap
          SET number = NULL;
          SET @firn_word = NULL;
          ITERATE drawing;
        END IF;
        SET number = number + @firn_jumped;
      END IF;
    END IF;
    IF COALESCE(number, @firn_word + @firn_jumped) > ${maxWord} THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
        'firn_next: the time of the layout of ${namespace} is over';
    END IF;
    SET @firn_ahead = COALESCE(number, @firn_word + @firn_jumped) DIV ${perTick} - GREATEST(@firn_clock, @firn_base + (@firn_clock - @firn_began) DIV 2) - ${leadTicks};
    IF number IS NOT NULL AND @firn_ahead <= 0 THEN
      RETURN ${id};
    END IF;
    IF @firn_ahead * ${tickMillis} > 5000 THEN
      SET @firn_problem = CONCAT('firn_next: the clock of the database is ', (@firn_ahead + ${leadTicks}) * ${tickMillis}, ' ms behind the newest ID of ${namespace} (expected: ${leadMillis} at most); correct it, or wait');
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = @firn_problem;
    END IF;
    DO SLEEP(GREATEST(@firn_ahead * ${tickMillis}, 1) / 1000);
    SET @firn_word = NULL;
  END LOOP;
END IF;

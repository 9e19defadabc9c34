IF of_namespace = '${namespace}' THEN
  SET clock = (IF(passed BETWEEN 0 AND 1500000000,
      (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + passed) DIV 1000, firn_clock())
    - ${epochMillis}) DIV ${tickMillis};
  SELECT STRAIGHT_JOIN `${word}_1`.next_not_cached_value + `${word}_2`.next_not_cached_value, NEXTVAL(`${word}`)
    INTO jumped, number FROM firn_sql_open, `${word}`, `${word}_1`, `${word}_2`
    WHERE namespace = '${namespace}' AND server = @@server_id AND @@binlog_format <> 'STATEMENT'
      AND (`${word}`.next_not_cached_value + `${word}_1`.next_not_cached_value
        + `${word}_2`.next_not_cached_value) DIV ${perTick} - clock BETWEEN 1 - ${jumpTicks} AND ${leadTicks};
  IF number IS NOT NULL THEN
    SELECT STRAIGHT_JOIN
        IF(`${word}_1`.next_not_cached_value + `${word}_2`.next_not_cached_value = jumped, number + jumped, NULL)
      INTO number FROM `${word}_1`, `${word}_2`;
    IF number DIV ${perTick} - clock <= ${leadTicks} THEN
      RETURN number DIV ${perTick} * ${timeStep} + ${workerBits} + number MOD ${perTick} * ${sequenceStep};
    END IF;
  END IF;
  RETURN firn_draw(of_namespace, number);
END IF;

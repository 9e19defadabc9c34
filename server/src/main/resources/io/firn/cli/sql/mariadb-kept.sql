  -- A session that has read the sequences needs no query until the numbers are at its limit. What it
  -- takes for the clock may be hours wrong when local time is set back, and after SET timestamp: then
  -- it reads again.
  SET number = NEXTVAL(`${word}`) + @`firn_kept_jumped`;
  IF number < @`firn_kept` AND @@timestamp * 1000 + TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) DIV 1000
      - ${numberMillis} BETWEEN @`firn_kept_from` AND ${keptUntilMillis} THEN
    RETURN ${id};
  END IF;
  SET @`firn_kept` = NULL;
  SET number = NULL;

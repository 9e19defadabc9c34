package io.firn.benchmarks;

/** A line of a table. */
record Row(Contender contender, int threads) {}

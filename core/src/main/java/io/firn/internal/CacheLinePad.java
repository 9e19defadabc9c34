package io.firn.internal;

/**
 * 120 bytes before the fields of a subclass, so that they share no cache line, nor one that is
 * prefetched with theirs, with the fields before them. A subclass of that one pads what follows.
 */
public class CacheLinePad {
  @SuppressWarnings("unused")
  private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, pa, pb, pc, pd, pe;
}

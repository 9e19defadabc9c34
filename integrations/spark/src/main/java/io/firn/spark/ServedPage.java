package io.firn.spark;

import io.firn.block.IdBlock;

/**
 * IDs that the driver gives to a task, as part of a block.
 *
 * @param block the block
 * @param from the index of the first ID
 * @param end the index after the last one
 * @param blocks how many blocks were reserved since the last page
 * @param writes how many writes the store got since the last page
 */
record ServedPage(IdBlock block, long from, long end, long blocks, long writes) {

  static ServedPage parse(String text) {
    String[] words = text.split(" ", 5);
    return new ServedPage(
        IdBlock.parse(words[4]),
        Long.parseLong(words[0]),
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]));
  }

  String text() {
    return from + " " + end + " " + blocks + " " + writes + " " + block;
  }
}

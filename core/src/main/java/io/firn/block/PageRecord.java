package io.firn.block;

import io.firn.IdLayout;
import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The value of a register of pages: {@code page.7=SIZE@TICK@WORKER,WORKER,…} for each that is
 * there.
 *
 * @param generation the generation of the job
 * @param shape the shape of the job
 * @param layout the layout of the IDs
 * @param opened how often a page was asked for
 * @param nonce names the one write
 * @param pages what is reserved, by page
 */
record PageRecord(
    long generation,
    String shape,
    IdLayout layout,
    long opened,
    String nonce,
    SortedMap<Integer, Page> pages) {

  /**
   * The number of pages that share a register; with 64 workers each, they have 4,000 characters.
   */
  private static final int PAGES_PER_REGISTER = 8;

  private static final String KIND = "firn-pages";
  private static final int FORMAT = 1;
  private static final String PAGE = "page.";

  /** One block. */
  record Page(long size, long firstTick, String workers) {}

  static PageRecord of(long generation, String shape, IdLayout layout) {
    return new PageRecord(generation, shape, layout, 0, "", new TreeMap<>());
  }

  /** Returns the number of the register that a page is in. */
  static int group(BlockName name) {
    return name.page() / PAGES_PER_REGISTER;
  }

  static PageRecord parse(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    SortedMap<Integer, Page> pages = new TreeMap<>();
    try {
      for (Map.Entry<String, String> field : fields.entrySet()) {
        if (field.getKey().startsWith(PAGE)) {
          String[] parts = field.getValue().split("@", -1);
          pages.put(
              Integer.parseInt(field.getKey().substring(PAGE.length())),
              new Page(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2]));
        }
      }
      return new PageRecord(
          Long.parseLong(RecordText.required(register, fields, "generation")),
          RecordText.required(register, fields, "shape"),
          IdLayout.of(RecordText.required(register, fields, "layout")),
          Long.parseLong(RecordText.required(register, fields, "opened")),
          RecordText.required(register, fields, "nonce"),
          pages);
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw RecordText.refused(register, "generation, opened and pages numbers");
    }
  }

  /** Returns the block of a page; null if there is none. */
  @Nullable IdBlock block(String namespace, int page) {
    Page found = pages.get(page);
    return found == null
        ? null
        : new IdBlock(
            namespace, layout, found.size, found.firstTick, IdBlock.workersOf(found.workers));
  }

  PageRecord with(int page, IdBlock block) {
    SortedMap<Integer, Page> more = new TreeMap<>(pages);
    more.put(page, new Page(block.size(), block.firstTick(), block.workersText()));
    return new PageRecord(generation, shape, layout, opened, nonce, more);
  }

  PageRecord opened(String fresh) {
    return new PageRecord(generation, shape, layout, opened + 1, fresh, pages);
  }

  long count() {
    return pages.size();
  }

  long ids() {
    return pages.values().stream().mapToLong(Page::size).sum();
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("generation", generation);
    fields.put("shape", shape);
    fields.put("layout", layout);
    fields.put("opened", opened);
    fields.put("nonce", nonce);
    pages.forEach(
        (page, block) ->
            fields.put(PAGE + page, block.size + "@" + block.firstTick + "@" + block.workers));
    return RecordText.write(KIND, FORMAT, fields);
  }
}

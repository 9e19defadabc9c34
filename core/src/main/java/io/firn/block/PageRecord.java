package io.firn.block;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The value of a register of pages: {@code page.7=SIZE@PLACE} for each that is there.
 *
 * @param generation the generation of the job
 * @param shape the shape of the job
 * @param opened how often a page was asked for
 * @param nonce names the one write
 * @param pages what is reserved, by page
 */
record PageRecord(
    long generation, String shape, long opened, String nonce, SortedMap<Integer, Page> pages) {

  private static final String KIND = "firn-pages";
  private static final int FORMAT = 1;
  private static final String PAGE = "page.";

  /** The number of pages that share a register. */
  private static final int PAGES_PER_REGISTER = 8;

  /** The length of the longest record: some databases have no room for more. */
  private static final int MAX_CHARACTERS = 4_000;

  /** The length of all but the shape and the pages, with numbers of 19 digits. */
  private static final int MAX_HEAD = 100;

  /** The length of {@code page.7=SIZE@} with the largest numbers, and of the space before. */
  private static final int MAX_PAGE_HEAD =
      (" " + PAGE + BlockName.MAX_PAGE + "=" + IdBlocks.MAX_SIZE + "@").length();

  /**
   * One block.
   *
   * @param size the number of IDs or numbers in it
   * @param place where it is, without spaces: what its {@link BlockKind} writes
   */
  record Page(long size, String place) {}

  static PageRecord of(long generation, String shape) {
    return new PageRecord(generation, shape, 0, "", new TreeMap<>());
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
          String[] parts = field.getValue().split("@", 2);
          pages.put(
              Integer.parseInt(field.getKey().substring(PAGE.length())),
              new Page(Long.parseLong(parts[0]), parts[1]));
        }
      }
      return new PageRecord(
          Long.parseLong(RecordText.required(register, fields, "generation")),
          RecordText.required(register, fields, "shape"),
          Long.parseLong(RecordText.required(register, fields, "opened")),
          RecordText.required(register, fields, "nonce"),
          pages);
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw RecordText.refused(register, "generation, opened and pages numbers");
    }
  }

  /** Returns what is reserved for a page; null if nothing is. */
  @Nullable Page page(int page) {
    return pages.get(page);
  }

  PageRecord with(int number, Page page) {
    SortedMap<Integer, Page> more = new TreeMap<>(pages);
    more.put(number, page);
    return new PageRecord(generation, shape, opened, nonce, more);
  }

  PageRecord opened(String fresh) {
    return new PageRecord(generation, shape, opened + 1, fresh, pages);
  }

  /**
   * Returns how many characters the place of one more page has. The pages that are not there share
   * what is left.
   */
  int room() {
    int used = pages.values().stream().mapToInt(page -> MAX_PAGE_HEAD + page.place.length()).sum();
    int left = MAX_CHARACTERS - MAX_HEAD - shape.length() - used;
    return left / (PAGES_PER_REGISTER - pages.size()) - MAX_PAGE_HEAD;
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
    fields.put("opened", opened);
    fields.put("nonce", nonce);
    pages.forEach((number, page) -> fields.put(PAGE + number, page.size + "@" + page.place));
    return RecordText.write(KIND, FORMAT, fields);
  }
}

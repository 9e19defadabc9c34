package io.firn.jdbc;

import io.firn.segment.SegmentSource;
import io.firn.segment.SegmentSourceProvider;
import io.firn.store.StoreUri;
import java.util.Set;

/**
 * Opens the tables of Leaf and tinyid, and sequences: {@code leaf:}, {@code tinyid:}, {@code
 * pooled-lo:} or {@code pooled:} before a {@code jdbc:} address with the parameters {@code user},
 * {@code password}, {@code password-env}, {@code password-file} and {@code timeout}. All others are
 * the driver's.
 *
 * <pre>{@code
 * leaf:jdbc:mysql://db.example:3306/leaf?user=leaf&password-env=DB_PASSWORD
 * }</pre>
 */
public final class TableSegmentsProvider implements SegmentSourceProvider {

  private static final String LEAF = "leaf";
  private static final String TINYID = "tinyid";
  private static final String POOLED_LO = "pooled-lo";
  private static final String POOLED = "pooled";
  private static final String[] OWN = {
    "user", "password", "password-env", "password-file", "timeout"
  };

  /** Creates an instance for {@link java.util.ServiceLoader}. */
  public TableSegmentsProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of(LEAF, TINYID, POOLED_LO, POOLED);
  }

  @Override
  public SegmentSource open(String scheme, String rest) {
    StoreUri uri = StoreUri.parse(rest);
    if (!uri.scheme().equals("jdbc")) {
      throw new IllegalArgumentException(
          "source: "
              + scheme
              + ":"
              + uri
              + " (expected: "
              + scheme
              + ":jdbc:DATABASE://HOST/NAME)");
    }
    CountingDatabase database =
        new CountingDatabase(
            JdbcStoreProvider.connections(uri, false, OWN), scheme + ":" + uri, uri.timeout());
    return switch (scheme) {
      case LEAF -> new LeafSegments(database);
      case TINYID -> new TinyIdSegments(database);
      default -> new SequenceSegments(database, scheme.equals(POOLED_LO));
    };
  }
}

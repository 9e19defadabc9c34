package io.firn.hibernate;

import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import org.hibernate.dialect.Dialect;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.AbstractClassJavaType;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.hibernate.type.descriptor.jdbc.JdbcTypeIndicators;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of wide types, kept as their texts, which sort as the IDs do. Hibernate's own types
 * hold a {@link java.util.UUID}.
 */
abstract class WideTypes<T> extends AbstractClassJavaType<T> {

  private static final long serialVersionUID = 1L;

  private final long length;

  private WideTypes(Class<T> type, long length) {
    super(type);
    this.length = length;
  }

  static final class OfUlid extends WideTypes<Ulid> {

    private static final long serialVersionUID = 1L;

    OfUlid() {
      super(Ulid.class, 26);
    }

    @Override
    public Ulid fromString(CharSequence text) {
      return Ulid.parse(text);
    }
  }

  static final class OfObjectId extends WideTypes<ObjectId> {

    private static final long serialVersionUID = 1L;

    OfObjectId() {
      super(ObjectId.class, 24);
    }

    @Override
    public ObjectId fromString(CharSequence text) {
      return ObjectId.parse(text);
    }
  }

  @Override
  public JdbcType getRecommendedJdbcType(JdbcTypeIndicators context) {
    return context.getJdbcType(SqlTypes.VARCHAR);
  }

  @Override
  public long getDefaultSqlLength(Dialect dialect, JdbcType type) {
    return length;
  }

  @Override
  public <X> @Nullable X unwrap(@Nullable T id, Class<X> target, WrapperOptions options) {
    if (id == null) {
      return null;
    }
    if (target.isInstance(id)) {
      return target.cast(id);
    }
    if (target.isAssignableFrom(String.class)) {
      return target.cast(id.toString());
    }
    throw unknownUnwrap(target);
  }

  @Override
  public <X> @Nullable T wrap(@Nullable X value, WrapperOptions options) {
    if (value == null) {
      return null;
    }
    if (getJavaTypeClass().isInstance(value)) {
      return getJavaTypeClass().cast(value);
    }
    if (value instanceof CharSequence text) {
      return fromString(text);
    }
    throw unknownWrap(value.getClass());
  }
}

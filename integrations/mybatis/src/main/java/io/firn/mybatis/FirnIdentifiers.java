package io.firn.mybatis;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import io.firn.IdGenerator;
import io.firn.integration.AttributeIds;
import io.firn.wide.Uuids;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The generator of keys for MyBatis-Plus: a 64-bit ID for a key of {@code IdType.ASSIGN_ID}, a UUID
 * of version 7 for one of {@code ASSIGN_UUID}. Thread-safe.
 */
public final class FirnIdentifiers implements IdentifierGenerator {

  private final Function<Class<?>, IdGenerator> generators;

  /** Assigns from one generator, which stays open. */
  public FirnIdentifiers(IdGenerator ids) {
    this(entity -> ids);
  }

  /** Assigns from the generator of the entity's class. */
  public FirnIdentifiers(Function<Class<?>, IdGenerator> generators) {
    this.generators = generators;
  }

  /** Returns whether a key needs a value: it is null, 0 or empty. */
  @Override
  public boolean assignId(@Nullable Object key) {
    return !AttributeIds.isSet(key);
  }

  @Override
  public Number nextId(Object entity) {
    return generators.apply(entity.getClass()).nextId();
  }

  /** Returns 32 hexadecimal digits, the form in which MyBatis-Plus writes a UUID. */
  @Override
  public String nextUUID(Object entity) {
    return Uuids.v7().nextId().toString().replace("-", "");
  }
}

package io.firn.mybatisplus;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import io.firn.IdGenerator;
import io.firn.key.AttributeIds;
import io.firn.wide.Uuids;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What MyBatis-Plus assigns where a key is of {@code IdType.ASSIGN_ID} or {@code ASSIGN_UUID}: an
 * ID of a generator of one's own, or a UUID of version 7. Thread-safe.
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

  /** Whether a key is to be assigned: it is null, 0 or empty. */
  @Override
  public boolean assignId(@Nullable Object key) {
    return !AttributeIds.isSet(key);
  }

  @Override
  public Number nextId(Object entity) {
    return generators.apply(entity.getClass()).nextId();
  }

  /** 32 hexadecimal digits, as MyBatis-Plus writes a UUID. */
  @Override
  public String nextUUID(Object entity) {
    return Uuids.v7().nextId().toString().replace("-", "");
  }
}

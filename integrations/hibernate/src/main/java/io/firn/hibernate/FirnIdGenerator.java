package io.firn.hibernate;

import io.firn.integration.AttributeIds;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.function.Supplier;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.AnnotationBasedGenerator;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.EventTypeSets;
import org.hibernate.generator.GeneratorCreationContext;
import org.hibernate.service.ServiceRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Serves one {@link FirnId}. Hibernate makes several for one attribute, and may serialize them: a
 * worker ID is held by {@link FactoryIds}, of which a session factory has one.
 */
public final class FirnIdGenerator
    implements BeforeExecutionGenerator, AnnotationBasedGenerator<FirnId> {

  private static final long serialVersionUID = 1L;

  private String attribute = "";
  private Class<?> type = void.class;
  private String name = "";
  private String format = "";
  private transient @Nullable Supplier<?> ids;

  /** Creates an instance for Hibernate, which then calls {@link #initialize}. */
  public FirnIdGenerator() {}

  /**
   * Finds out what the attribute is filled with. Leases nothing.
   *
   * @throws IllegalArgumentException if there are no IDs of its type, or the settings have no such
   *     generator
   */
  @Override
  public void initialize(FirnId id, Member member, GeneratorCreationContext context) {
    attribute = member.getDeclaringClass().getName() + "." + member.getName();
    type = member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
    name = id.value();
    format = id.format();
    ids = find(context.getServiceRegistry());
  }

  private Supplier<?> find(ServiceRegistry services) {
    FactoryIds factory = services.requireService(FactoryIds.class);
    return AttributeIds.of(attribute, type, format, () -> factory.generator(name));
  }

  @Override
  public Object generate(
      SharedSessionContractImplementor session,
      Object owner,
      @Nullable Object current,
      EventType event) {
    if (current != null && AttributeIds.isSet(current)) {
      return current;
    }
    Supplier<?> source = ids;
    if (source == null) { // it was serialized
      source = find(session.getFactory().getServiceRegistry());
      ids = source;
    }
    return source.get();
  }

  @Override
  public EnumSet<EventType> getEventTypes() {
    return EventTypeSets.INSERT_ONLY;
  }

  @Override
  public boolean allowAssignedIdentifiers() {
    return true;
  }

  /**
   * Returns that the application may change the attribute later. Hibernate 7 calls it, 6.6 does not
   * have it.
   */
  public boolean allowMutation() {
    return true;
  }
}

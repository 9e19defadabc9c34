package io.firn.spring;

import io.firn.integration.AttributeIds;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.mapping.model.EntityInstantiators;
import org.springframework.data.mapping.model.InstantiationAwarePropertyAccessor;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;
import org.springframework.data.relational.core.mapping.event.BeforeConvertCallback;

/**
 * Puts IDs where {@link FirnId} asks for them. Spring Data calls back only for roots, so this walks
 * down: an aggregate is a tree of entities, of collections and of maps of them. What is immutable
 * is made rebuilt, with everything that contains it.
 */
final class AggregateIds implements BeforeConvertCallback<Object> {

  private final ObjectProvider<RelationalMappingContext> mapping;
  private final Generators generators;
  private final EntityInstantiators instantiators = new EntityInstantiators();
  private final Map<RelationalPersistentProperty, Supplier<?>> sources = new ConcurrentHashMap<>();

  AggregateIds(ObjectProvider<RelationalMappingContext> mapping, Generators generators) {
    this.mapping = mapping;
    this.generators = generators;
  }

  @Override
  public Object onBeforeConvert(Object aggregate) {
    return withIds(aggregate);
  }

  private <T> T withIds(T entity) {
    RelationalPersistentEntity<?> type =
        mapping.getObject().getRequiredPersistentEntity(entity.getClass());
    PersistentPropertyAccessor<T> accessor =
        new InstantiationAwarePropertyAccessor<>(entity, type::getPropertyAccessor, instantiators);
    for (RelationalPersistentProperty property : type) {
      Object before = accessor.getProperty(property);
      Object after = withIds(property, before);
      if (after != before) {
        accessor.setProperty(property, after);
      }
    }
    return accessor.getBean();
  }

  private @Nullable Object withIds(RelationalPersistentProperty property, @Nullable Object value) {
    FirnId wanted = property.findAnnotation(FirnId.class);
    if (wanted != null) {
      Supplier<?> source = source(property, wanted); // checks the type: 0 of an int counts as set
      return AttributeIds.isSet(value) ? value : source.get();
    }
    return value != null && property.isEntity() ? held(value) : value;
  }

  private Supplier<?> source(RelationalPersistentProperty property, FirnId wanted) {
    return sources.computeIfAbsent(
        property,
        unknown ->
            AttributeIds.of(
                property.getOwner().getType().getName() + "." + property.getName(),
                property.getType(),
                wanted.format(),
                () -> generators.named(wanted.value())));
  }

  /** Returns the same object if nothing in it was rebuilt. */
  private Object held(Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<Object, Object> after = new LinkedHashMap<>(map);
      after.replaceAll((key, entity) -> element(entity));
      return isSame(map.values(), after.values()) ? map : after;
    }
    if (value instanceof Collection<?> collection) {
      List<Object> after = all(collection);
      if (isSame(collection, after)) {
        return collection;
      }
      return collection instanceof Set ? new LinkedHashSet<>(after) : after;
    }
    if (value instanceof Object[] array) {
      List<Object> before = Arrays.asList(array);
      List<Object> after = all(before);
      return isSame(before, after)
          ? array
          : after.toArray((Object[]) Array.newInstance(array.getClass().getComponentType(), 0));
    }
    return withIds(value);
  }

  /** Leaves null as it is: Spring Data refuses it in its own words. */
  private @Nullable Object element(@Nullable Object entity) {
    return entity == null ? null : withIds(entity);
  }

  private List<Object> all(Collection<?> entities) {
    List<Object> after = new ArrayList<>(entities.size());
    entities.forEach(entity -> after.add(element(entity)));
    return after;
  }

  @SuppressWarnings("ReferenceEquality") // those very objects
  private static boolean isSame(Collection<?> before, Collection<?> after) {
    var others = after.iterator();
    for (Object entity : before) {
      if (entity != others.next()) {
        return false;
      }
    }
    return true;
  }
}

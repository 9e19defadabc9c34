package io.firn.mybatis;

import io.firn.IdGenerator;
import io.firn.integration.AttributeIds;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** One field that is filled, and with what. */
record IssuedField(Field field, Supplier<?> ids) {

  /** Returns the marked fields of a class and of those that it extends. */
  static List<IssuedField> of(Class<?> type, Function<String, ? extends IdGenerator> generators) {
    List<IssuedField> marked = new ArrayList<>();
    for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
      for (Field field : owner.getDeclaredFields()) {
        FirnId id = field.getAnnotation(FirnId.class);
        if (id != null) {
          marked.add(of(field, id, generators));
        }
      }
    }
    return List.copyOf(marked);
  }

  private static IssuedField of(
      Field field, FirnId id, Function<String, ? extends IdGenerator> generators) {
    if ((field.getModifiers() & (Modifier.FINAL | Modifier.STATIC)) != 0) {
      throw new IllegalArgumentException(
          "field: " + field + " (expected: neither final nor static, to be filled)");
    }
    field.setAccessible(true);
    return new IssuedField(
        field,
        AttributeIds.of(
            field.getDeclaringClass().getName() + "." + field.getName(),
            field.getType(),
            id.format(),
            () -> generators.apply(id.value())));
  }

  void fill(Object entity) {
    try {
      if (!AttributeIds.isSet(field.get(entity))) {
        field.set(entity, ids.get());
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(
          "The field "
              + field
              + " is not accessible; open its package to the module io.firn.mybatis, or use a class"
              + " that is not a record",
          e);
    }
  }
}

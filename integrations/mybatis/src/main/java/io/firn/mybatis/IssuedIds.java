package io.firn.mybatis;

import static java.util.stream.Collectors.joining;

import io.firn.IdGenerator;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.SqlCommandType;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.jspecify.annotations.Nullable;

/**
 * Fills the fields with {@link FirnId} of what is inserted: of the object itself, of named
 * parameters, and of the elements of collections and arrays among them, in every type of executor.
 * Thread-safe.
 */
@Intercepts(
    @Signature(
        type = Executor.class,
        method = "update",
        args = {MappedStatement.class, Object.class}))
public final class IssuedIds implements Interceptor {

  private final Function<String, ? extends IdGenerator> generators;

  private final ClassValue<List<IssuedField>> fields =
      new ClassValue<>() {
        @Override
        protected List<IssuedField> computeValue(Class<?> type) {
          return IssuedField.of(type, generators);
        }
      };

  /** Fills from one generator, which stays open. Fields may name none. */
  public IssuedIds(IdGenerator ids) {
    this(Map.of("", ids));
  }

  /**
   * Fills from several generators, which stay open.
   *
   * @param generators by the names that {@link FirnId#value} has; the one of the empty name is the
   *     default
   */
  public IssuedIds(Map<String, ? extends IdGenerator> generators) {
    this(known(Map.copyOf(generators)));
  }

  /**
   * Fills from generators that are looked up when the first entity of a class is inserted.
   *
   * @param generators returns the generator of a name that {@link FirnId#value} has, the default
   *     one for the empty name; it throws an {@link IllegalArgumentException} if there is none
   */
  public IssuedIds(Function<String, ? extends IdGenerator> generators) {
    this.generators = generators;
  }

  private static Function<String, IdGenerator> known(Map<String, IdGenerator> generators) {
    return name -> {
      IdGenerator ids = generators.get(name);
      if (ids == null) {
        throw new IllegalArgumentException(
            generators.keySet().stream()
                .sorted()
                .map(IssuedIds::quoted)
                .collect(joining(", ", "generator: " + quoted(name) + " (expected: ", ")")));
      }
      return ids;
    };
  }

  private static String quoted(String name) {
    return name.isEmpty() ? "no name" : '"' + name + '"';
  }

  /**
   * Fills what an insert is given.
   *
   * @throws IllegalArgumentException if a marked field can hold no ID, or names a generator that
   *     there is not
   * @throws io.firn.FirnException if no ID can be issued now; nothing is inserted then
   */
  @Override
  public Object intercept(Invocation update) throws Throwable {
    MappedStatement statement = (MappedStatement) update.getArgs()[0];
    if (statement.getSqlCommandType() == SqlCommandType.INSERT) {
      fillParameter(update.getArgs()[1]);
    }
    return update.proceed();
  }

  private void fillParameter(@Nullable Object parameter) {
    if (parameter instanceof Map<?, ?> named) {
      named.values().forEach(this::fillAll);
    } else {
      fillAll(parameter);
    }
  }

  private void fillAll(@Nullable Object value) {
    if (value instanceof Collection<?> many) {
      many.forEach(this::fill);
    } else if (value instanceof Object[] many) {
      Arrays.asList(many).forEach(this::fill);
    } else {
      fill(value);
    }
  }

  private void fill(@Nullable Object entity) {
    if (entity != null) {
      fields.get(entity.getClass()).forEach(field -> field.fill(entity));
    }
  }
}

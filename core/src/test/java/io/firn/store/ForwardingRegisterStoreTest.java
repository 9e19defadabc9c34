package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ForwardingRegisterStoreTest {

  /** A method with a default that is not passed on would hide what the store says. */
  @Test
  void passesEveryCallOn() {
    assertThat(RegisterStore.class.getMethods())
        .filteredOn(method -> !Modifier.isStatic(method.getModifiers()))
        .isNotEmpty()
        .allMatch(ForwardingRegisterStoreTest::isPassedOn);
  }

  private static boolean isPassedOn(Method method) {
    return Arrays.stream(ForwardingRegisterStore.class.getDeclaredMethods())
        .anyMatch(
            own ->
                own.getName().equals(method.getName())
                    && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
  }
}

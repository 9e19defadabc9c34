package io.firn.spring;

import io.firn.testkit.SwitchedStore;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications that have the starter. */
final class Applications {

  private Applications() {}

  /** One whose store nobody else has. */
  static ApplicationContextRunner withStore(String... properties) {
    return withStore(new SwitchedStore()).withPropertyValues(properties);
  }

  /** One that leases from this store. */
  static ApplicationContextRunner withStore(SwitchedStore store) {
    return bare().withBean(SwitchedStore.class, () -> store);
  }

  /** One without a store. */
  static ApplicationContextRunner bare() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                FirnAutoConfiguration.class,
                FirnEndpointAutoConfiguration.class,
                FirnMeterAutoConfiguration.class,
                AggregateIdAutoConfiguration.class,
                HibernateAutoConfiguration.class,
                MyBatisAutoConfiguration.class,
                MyBatisPlusAutoConfiguration.class,
                HealthAutoConfiguration.class));
  }
}

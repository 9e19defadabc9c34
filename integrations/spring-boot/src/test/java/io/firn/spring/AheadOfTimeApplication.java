package io.firn.spring;

import io.firn.IdGenerator;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The application that {@link AheadOfTimeTest} processes and runs. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
  PropertyPlaceholderAutoConfiguration.class,
  FirnAutoConfiguration.class,
  FirnEndpointAutoConfiguration.class,
  FirnMeterAutoConfiguration.class,
  AggregateIdAutoConfiguration.class,
  HealthAutoConfiguration.class
})
class AheadOfTimeApplication {

  /** Prints one ID of each generator. */
  public static void main(String[] args) {
    SpringApplication application = new SpringApplication(AheadOfTimeApplication.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    try (ConfigurableApplicationContext context = application.run(args)) {
      Map<String, IdGenerator> all = new TreeMap<>(context.getBeansOfType(IdGenerator.class));
      all.forEach((name, ids) -> System.out.println(name + " issued " + ids.nextId()));
      System.out.println("primary issued " + context.getBean(IdGenerator.class).nextId());
    }
  }
}

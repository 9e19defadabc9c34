package io.firn.spring;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The Actuator endpoint {@code firn}. */
@AutoConfiguration(after = FirnAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(endpoint = FirnEndpoint.class)
@ConditionalOnBean(NamespaceGenerator.class)
class FirnEndpointAutoConfiguration {

  @Bean
  FirnEndpoint firnEndpoint(Generators generators) {
    return new FirnEndpoint(generators);
  }
}

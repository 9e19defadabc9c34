package io.firn.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/** Registers a listener for commits with the transaction managers of the application. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConfigurableTransactionManager.class)
class TransactionScopesConfiguration {

  @Bean
  static BeanPostProcessor firnTransactionScopes(ObjectProvider<FirnProperties> settings) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager
            && settings.getObject().namespaces().values().stream()
                .anyMatch(FirnProperties.Namespace::transactionScopes)) {
          List<TransactionExecutionListener> listeners =
              new ArrayList<>(manager.getTransactionExecutionListeners()); // may be immutable
          listeners.add(new TransactionScopes.Listener());
          manager.setTransactionExecutionListeners(listeners);
        }
        return bean;
      }
    };
  }
}

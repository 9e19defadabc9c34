package io.firn.hibernate;

import java.util.Map;
import org.hibernate.boot.model.TypeContributions;
import org.hibernate.boot.model.TypeContributor;
import org.hibernate.boot.registry.StandardServiceInitiator;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.service.ServiceRegistry;
import org.hibernate.service.spi.ServiceContributor;
import org.hibernate.service.spi.ServiceRegistryImplementor;

/** The services and types that Hibernate loads from Firn when it starts. */
public final class FirnContributor implements ServiceContributor, TypeContributor {

  /** Creates an instance for {@link java.util.ServiceLoader}. */
  public FirnContributor() {}

  @Override
  public void contribute(StandardServiceRegistryBuilder services) {
    services.addInitiator(
        new StandardServiceInitiator<FactoryIds>() {
          @Override
          public Class<FactoryIds> getServiceInitiated() {
            return FactoryIds.class;
          }

          @Override
          public FactoryIds initiateService(
              Map<String, Object> settings, ServiceRegistryImplementor registry) {
            return new FactoryIds(settings);
          }
        });
  }

  @Override
  public void contribute(TypeContributions types, ServiceRegistry services) {
    types.contributeJavaType(new WideTypes.OfUlid());
    types.contributeJavaType(new WideTypes.OfObjectId());
  }
}

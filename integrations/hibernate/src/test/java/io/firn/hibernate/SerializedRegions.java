package io.firn.hibernate;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.cache.cfg.spi.DomainDataRegionBuildingContext;
import org.hibernate.cache.cfg.spi.DomainDataRegionConfig;
import org.hibernate.cache.spi.support.DomainDataStorageAccess;
import org.hibernate.cache.spi.support.RegionFactoryTemplate;
import org.hibernate.cache.spi.support.StorageAccess;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.internal.util.SerializationHelper;

/** A second-level cache in memory that serializes its values, as a remote one does. */
final class SerializedRegions extends RegionFactoryTemplate {

  private static final long serialVersionUID = 1L;

  @Override
  protected DomainDataStorageAccess createDomainDataStorageAccess(
      DomainDataRegionConfig region, DomainDataRegionBuildingContext context) {
    return new Region();
  }

  @Override
  protected StorageAccess createQueryResultsRegionStorageAccess(
      String region, SessionFactoryImplementor sessions) {
    return new Region();
  }

  @Override
  protected StorageAccess createTimestampsRegionStorageAccess(
      String region, SessionFactoryImplementor sessions) {
    return new Region();
  }

  @Override
  protected void prepareForUse(SessionFactoryOptions options, Map<String, Object> settings) {}

  @Override
  protected void releaseFromUse() {}

  private static final class Region implements DomainDataStorageAccess {

    private final Map<Object, byte[]> values = new ConcurrentHashMap<>();

    @Override
    public boolean contains(Object key) {
      return values.containsKey(key);
    }

    @Override
    public Object getFromCache(Object key, SharedSessionContractImplementor session) {
      byte[] value = values.get(key);
      return value == null ? null : SerializationHelper.deserialize(value);
    }

    @Override
    public void putIntoCache(Object key, Object value, SharedSessionContractImplementor session) {
      values.put(key, SerializationHelper.serialize((Serializable) value));
    }

    @Override
    public void evictData(Object key) {
      values.remove(key);
    }

    @Override
    public void evictData() {
      values.clear();
    }

    @Override
    public void release() {}
  }
}

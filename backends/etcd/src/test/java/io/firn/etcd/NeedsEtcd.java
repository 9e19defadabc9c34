package io.firn.etcd;

import io.firn.testservers.EtcdServers;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Tests that run where an etcd is installed. Where none is they do not, and one line says so; with
 * {@value EtcdServers#REQUIRE}{@code =1}, as in CI, they fail.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIf(value = "io.firn.etcd.NeedsEtcd$Condition#isMet", disabledReason = "no etcd on the PATH")
@interface NeedsEtcd {

  /** Asked once for each class. */
  final class Condition {

    private static final AtomicBoolean TOLD = new AtomicBoolean();

    private Condition() {}

    static boolean isMet() {
      boolean installed = EtcdServers.isInstalled();
      if (!installed && TOLD.compareAndSet(false, true)) {
        System.out.println(
            "firn-etcd: no test has run, there is no etcd on the PATH (apt-get install etcd-server)");
      }
      return installed;
    }
  }
}

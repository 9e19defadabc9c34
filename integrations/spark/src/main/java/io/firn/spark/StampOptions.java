package io.firn.spark;

import io.firn.internal.Require;
import org.jspecify.annotations.Nullable;

/** The choice of the IDs for the rows of a dataset. Immutable and thread-safe. */
public final class StampOptions {

  private final String namespace;
  private final @Nullable String job;

  private StampOptions(String namespace, @Nullable String job) {
    this.namespace = Require.name("namespace", namespace);
    this.job = job;
  }

  /**
   * Lets rows get IDs that are new whenever they are computed: in each action and each attempt of a
   * task.
   *
   * @param namespace 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   * @throws IllegalArgumentException if it has other characters
   */
  public static StampOptions fresh(String namespace) {
    return new StampOptions(namespace, null);
  }

  /**
   * Lets each row get the same ID whenever it is computed, also by another application: the ID
   * belongs to the job and to the place of the row among all rows, and the job belongs to those
   * rows.
   *
   * @param namespace 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   * @param job the name of this load, of the same characters
   * @throws IllegalArgumentException if the namespace or the job has other characters
   */
  public static StampOptions stable(String namespace, String job) {
    return new StampOptions(namespace, Require.name("job", job));
  }

  String namespace() {
    return namespace;
  }

  /** Returns the job; null if the IDs are fresh. */
  @Nullable String job() {
    return job;
  }

  /** Returns what was asked for, as {@code fresh IDs of orders}. */
  @Override
  public String toString() {
    return job == null ? "fresh IDs of " + namespace : "IDs of " + namespace + " for job " + job;
  }
}

package io.firn.decode;

import io.firn.IdLayout;
import java.util.Set;

/**
 * A namespace whose IDs are likely to be asked about.
 *
 * @param name the name of the namespace
 * @param layout the layout of its IDs
 * @param workers the worker IDs that are known to have been held; the datacenter and the worker as
 *     one number where the layout has both
 */
public record KnownNamespace(String name, IdLayout layout, Set<Long> workers) {}

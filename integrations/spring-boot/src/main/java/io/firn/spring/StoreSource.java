package io.firn.spring;

import io.firn.store.RegisterStore;
import java.util.function.Supplier;

/**
 * Something that the application has, and in which a store can be opened.
 *
 * @param name as {@code firn.store} names it
 */
record StoreSource(String name, Supplier<RegisterStore> opener) {}

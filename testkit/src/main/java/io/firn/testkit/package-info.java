/**
 * Tools for tests of IDs: a clock that a test moves and a checker for duplicates. Tools for authors
 * of register stores: the contract of stores and a proxy that breaks connections.
 */
@NullMarked
package io.firn.testkit;

import org.jspecify.annotations.NullMarked;

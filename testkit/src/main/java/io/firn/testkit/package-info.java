/**
 * What tests of IDs need: a clock that a test moves, and a checker for duplicates. And what authors
 * of register stores need: their contract, and a proxy that breaks connections.
 */
@NullMarked
package io.firn.testkit;

import org.jspecify.annotations.NullMarked;

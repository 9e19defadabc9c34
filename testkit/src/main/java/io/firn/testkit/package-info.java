/** What tests of IDs need: a clock that a test moves, and a checker for duplicates. */
@NullMarked
package io.firn.testkit;

import org.jspecify.annotations.NullMarked;

package io.firn.lease;

import io.firn.store.Register;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The register of a worker as it was read.
 *
 * @param register the register; empty if it is not there
 * @param nowMillis the clock that other processes agree with, read after the register or with it
 * @param markRead the mark that was read with it; null where the store has no identity
 */
record WorkerRead(Optional<Register> register, long nowMillis, @Nullable MarkRead markRead) {}

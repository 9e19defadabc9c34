package io.firn.simulation.schemes;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import io.firn.lease.LeaseKeeper;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Scheme;
import io.firn.testkit.InterposedStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Generators that leave the rest of their window in a file where the store is down when they close.
 * Now and then someone copies such a file, and puts the copy in its place later.
 */
public final class CarryOverScheme implements Scheme {

  private static final int COPY_PER_MILLE = 700;

  private final FirnScheme leases;
  private final Path directory;

  /** Creates the scheme, with a directory for its files. */
  public CarryOverScheme(Mutant mutant) {
    leases = new FirnScheme(mutant);
    try {
      directory = Files.createTempDirectory("firn-simulation");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void end() {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Crew start(Incarnation process) {
    LeaseKeeper keeper = InterposedStore.keeper(process.time());
    return leases.crew(
        process,
        keeper,
        FirnScheme.NAMESPACE,
        (slot, lease) -> {
          Path file = directory.resolve(process.node() + "-" + slot);
          meddle(process, file);
          FirnScheme.pin(process, slot, lease);
          lease.carryOver(file);
        });
  }

  private static void meddle(Incarnation process, Path file) {
    Path copy = file.resolveSibling(file.getFileName() + ".copy");
    try {
      if (Files.exists(file)) {
        process.log("finds a file of its predecessor");
        if (process.numbers().perMille(COPY_PER_MILLE)) {
          Path unused = Files.copy(file, copy, REPLACE_EXISTING);
        }
      } else if (Files.exists(copy)) {
        process.log("finds a copy of a file");
        Path unused = Files.move(copy, file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

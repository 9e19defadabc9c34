package io.firn.store;

import java.nio.file.Path;

/** Writes a register again and again, and tells each version that was acknowledged. */
final class WritingProcess {

  private WritingProcess() {}

  static String value(long version, int length) {
    return (version + " ").repeat(length).substring(0, length);
  }

  /** Arguments: the directory, the register, how many writes, the length of a value. */
  public static void main(String[] arguments) {
    FileRegisterStore store = FileRegisterStore.open(Path.of(arguments[0]));
    String name = arguments[1];
    int writes = Integer.parseInt(arguments[2]);
    int length = Integer.parseInt(arguments[3]);
    int applied = 0;
    try {
      while (applied < writes) {
        long version = store.read(name).map(Register::version).orElse(0L);
        WriteResult result = store.compareAndSet(name, version, value(version + 1, length));
        if (result.outcome() == WriteResult.Outcome.APPLIED) {
          applied++;
          System.out.println("wrote " + result.version());
        }
      }
      System.out.println("done " + applied);
    } catch (StoreException e) {
      System.out.println("failed " + e.getMessage());
    }
  }
}

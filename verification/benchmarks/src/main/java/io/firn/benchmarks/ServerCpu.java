package io.firn.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The CPU time of a server on this machine, with that of its child processes. */
final class ServerCpu {

  private static final Pattern PORT = Pattern.compile("(?:127\\.0\\.0\\.1|localhost):([0-9]{1,5})");
  private static final String LISTENING = "0A";

  private final ProcessHandle server;

  private ServerCpu(ProcessHandle server) {
    this.server = server;
  }

  /** Finds the server behind an address; empty unless it is this user's, on this Linux host. */
  static Optional<ServerCpu> of(String address) {
    Matcher port = PORT.matcher(address);
    return port.find() ? listeningAt(Integer.parseInt(port.group(1))) : Optional.empty();
  }

  static Optional<ServerCpu> listeningAt(int port) {
    try {
      for (String table : List.of("tcp", "tcp6")) {
        for (String line : Files.readAllLines(Path.of("/proc/net", table))) {
          String[] fields = line.strip().split("\\s+", -1);
          if (fields[3].equals(LISTENING)
              && fields[1].endsWith(String.format(Locale.ROOT, ":%04X", port))) {
            return withSocket("socket:[" + fields[9] + "]").map(ServerCpu::new);
          }
        }
      }
    } catch (IOException e) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /** Of several processes that share a socket, the first is the parent. */
  private static Optional<ProcessHandle> withSocket(String socket) {
    return ProcessHandle.allProcesses()
        .filter(process -> hasOpen(process, socket))
        .min((a, b) -> Long.compare(a.pid(), b.pid()));
  }

  private static boolean hasOpen(ProcessHandle process, String socket) {
    Path files = Path.of("/proc", Long.toString(process.pid()), "fd");
    try (DirectoryStream<Path> open = Files.newDirectoryStream(files)) {
      for (Path file : open) {
        if (Files.isSymbolicLink(file) && Files.readSymbolicLink(file).toString().equals(socket)) {
          return true;
        }
      }
    } catch (IOException e) {
      return false; // it has ended, or is another user's
    }
    return false;
  }

  /** Returns the CPU time used until now; that of children which have ended is left out. */
  Duration total() {
    return Stream.concat(Stream.of(server), server.descendants())
        .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  long pid() {
    return server.pid();
  }
}

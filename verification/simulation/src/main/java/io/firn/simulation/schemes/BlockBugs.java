package io.firn.simulation.schemes;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.testkit.InterposedStore;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Bugs of blocks, put between them and their store. */
final class BlockBugs {

  private BlockBugs() {}

  /** Returns a store in which the pages of a job that was forgotten continue. */
  static RegisterStore keepingForgottenPages(RegisterStore store) {
    return new InterposedStore(store) {
      private String job = "";

      @Override
      public Optional<Register> read(String name) {
        Optional<Register> seen = super.read(name);
        if (name.endsWith("/job")) {
          job = seen.map(Register::value).orElse("");
          return seen;
        }
        return name.contains("/block/") ? seen.map(this::asOfTheJob) : seen;
      }

      private Register asOfTheJob(Register pages) {
        String value = pages.value();
        for (String field : List.of("generation", "shape")) {
          Matcher own = Pattern.compile(" " + field + "=\\S+").matcher(job);
          value = own.find() ? value.replaceFirst(" " + field + "=\\S+", own.group()) : value;
        }
        return new Register(pages.name(), pages.version(), value);
      }
    };
  }
}

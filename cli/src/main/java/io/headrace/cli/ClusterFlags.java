package io.headrace.cli;

import io.headrace.cluster.ClusterConfig;
import io.headrace.runtime.status.StatusException;
import java.nio.file.Path;

/** What flags say of clusters: a value as it is, or {@code @FILE}. */
final class ClusterFlags {
  private static final String FILE_SIGN = "@";

  private ClusterFlags() {}

  /** The cluster that {@code --cluster} says. */
  static ClusterConfig cluster(String flag) {
    return flag.startsWith(FILE_SIGN)
        ? ClusterConfig.ofFile(file("--cluster", flag))
        : ClusterConfig.ofText(flag, "--cluster");
  }

  /** The file that a flag of the form {@code @FILE} names; INVALID_ARGUMENT for another form. */
  static Path file(String name, String flag) {
    if (!flag.startsWith(FILE_SIGN)) {
      throw StatusException.invalidArgument("%s must be @FILE, not %s", name, flag);
    }
    return Path.of(flag.substring(1));
  }
}

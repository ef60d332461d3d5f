package io.headrace.cli.drill;

import java.util.List;
import java.util.Optional;

/**
 * A limit on the size of files (RLIMIT_FSIZE) of the running process, used where no disk can be
 * mounted. Writes fail as on a full disk, with another error number.
 */
final class FileSizeLimit implements FullDisk {
  private static final String COMMAND = "prlimit";

  private FileSizeLimit() {}

  /** Empty if {@code prlimit} is missing. */
  static Optional<FullDisk> find() throws InterruptedException {
    boolean found = SystemCommands.run(List.of(COMMAND, "--version")).status() == 0;
    return found ? Optional.of(new FileSizeLimit()) : Optional.empty();
  }

  @Override
  public String what() {
    return "a limit of 0 bytes on the size of files (RLIMIT_FSIZE)";
  }

  @Override
  public void fill(DrillProcess process) throws InterruptedException {
    set(process, "0:unlimited");
  }

  @Override
  public void makeRoom(DrillProcess process) throws InterruptedException {
    set(process, "unlimited:unlimited");
  }

  private static void set(DrillProcess process, String limits) throws InterruptedException {
    SystemCommands.need(
        List.of(COMMAND, "--pid", Long.toString(process.pid()), "--fsize=" + limits));
  }

  @Override
  public void close() {
    // The limit ends with the process.
  }
}

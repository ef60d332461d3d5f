package io.headrace.cli.drill;

import java.io.IOException;

/** A disk that can be filled. {@link #close} releases it, and may be called from any thread. */
interface FullDisk extends AutoCloseable {
  /** A description for the report. */
  String what();

  /** Makes further writes of {@code process}, which uses the disk, fail. */
  void fill(DrillProcess process) throws IOException, InterruptedException;

  /** Makes room again. */
  void makeRoom(DrillProcess process) throws IOException, InterruptedException;

  @Override
  void close();
}

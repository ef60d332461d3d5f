package io.headrace.cli.drill;

import java.io.IOException;

/** A disk that can be filled. Closing it gives back what it took; any thread may do that. */
interface FullDisk extends AutoCloseable {
  /** What it is, for the report. */
  String what();

  /** From now on nothing more can be stored by {@code process}, which uses it. */
  void fill(DrillProcess process) throws IOException, InterruptedException;

  /** There is room again. */
  void makeRoom(DrillProcess process) throws IOException, InterruptedException;

  @Override
  void close();
}

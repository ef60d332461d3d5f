package io.headrace.cli.drill;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The settings of a drill.
 *
 * @param program the command line of {@code headrace}, without its arguments
 * @param workers the number of workers of the drill's own cluster
 * @param files the number of files the job reads; 0 for a range of numbers
 * @param recordsPerFile the number of records per file, or the size of the range
 * @param elementBytes the size of an element
 * @param readSeconds the duration of the read without faults; default: the scenario's
 * @param faultSeconds the duration of a fault; default: the scenario's
 * @param limit the time after which a stalled read is given up
 * @param stockPython the Python that runs TensorFlow's client, which reads the job; default:
 *     Headrace's client reads it
 * @param folder the parent of the folder for files, logs and the work_dir; default: the directory
 *     for temporary files
 * @param keep whether that folder is kept
 */
public record DrillSettings(
    List<String> program,
    int workers,
    int files,
    int recordsPerFile,
    int elementBytes,
    OptionalDouble readSeconds,
    OptionalDouble faultSeconds,
    Duration limit,
    Optional<String> stockPython,
    Optional<Path> folder,
    boolean keep) {
  /** Copies the list. */
  public DrillSettings {
    program = List.copyOf(program);
  }
}

package io.headrace.cli.drill;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How a drill is run.
 *
 * @param program what runs {@code headrace}, without its arguments
 * @param workers how many workers a cluster of the drill's own has
 * @param files how many files the job reads; 0 for a range of numbers
 * @param recordsPerFile how many records each of them has, or the range
 * @param elementBytes how large an element is
 * @param readSeconds how long the read takes if nothing is in the way; else as the drill has it
 * @param faultSeconds how long a fault lasts; else as the drill has it
 * @param limit how long to wait for a read that does not go on
 * @param folder where to make the folder of the files, the logs and the work_dir; else where
 *     temporary files lie
 * @param keep whether that folder is left there
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
    Optional<Path> folder,
    boolean keep) {
  /** Makes the list immutable. */
  public DrillSettings {
    program = List.copyOf(program);
  }
}

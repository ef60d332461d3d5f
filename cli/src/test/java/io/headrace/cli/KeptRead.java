package io.headrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import io.headrace.dataset.Checkpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * What a trainer keeps of its read: its token, and what it had taken when it asked for that.
 *
 * @param token tells what was taken by this reader, and by those whose tokens it went on from
 * @param taken what this reader had taken
 */
record KeptRead(Checkpoint token, List<String> taken) {
  KeptRead {
    taken = List.copyOf(taken);
  }

  static KeptRead of(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file, UTF_8);
    byte[] token = Base64.getDecoder().decode(lines.getFirst());
    return new KeptRead(Checkpoint.ofBytes(token), lines.subList(1, lines.size()));
  }

  /** Replaces what {@code file} has, all of it or nothing, whenever this process is killed. */
  void writeTo(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(Base64.getEncoder().encodeToString(token.toBytes()));
    lines.addAll(taken);
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    Files.write(unfinished, lines, UTF_8);
    Files.move(unfinished, file, ATOMIC_MOVE);
  }
}

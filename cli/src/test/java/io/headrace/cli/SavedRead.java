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
 * The saved state of a trainer's read: its checkpoint, and the lines taken until then.
 *
 * @param token the records taken by this reader and by those whose checkpoints it resumed
 * @param taken the lines taken by this reader
 */
record SavedRead(Checkpoint token, List<String> taken) {
  SavedRead {
    taken = List.copyOf(taken);
  }

  static SavedRead of(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file, UTF_8);
    byte[] token = Base64.getDecoder().decode(lines.getFirst());
    return new SavedRead(Checkpoint.ofBytes(token), lines.subList(1, lines.size()));
  }

  /** Replaces the content of {@code file} atomically, even if this process is killed. */
  void writeTo(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(Base64.getEncoder().encodeToString(token.toBytes()));
    lines.addAll(taken);
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    Files.write(unfinished, lines, UTF_8);
    Files.move(unfinished, file, ATOMIC_MOVE);
  }
}

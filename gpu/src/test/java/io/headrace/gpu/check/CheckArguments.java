package io.headrace.gpu.check;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@link GpuCheck}.
 *
 * @param parts those to run
 * @param isList whether the parts are only listed
 * @param isRehearsal whether the fake driver is checked, with little of all
 * @param isSanitized whether a sanitizer watches, which makes kernels slow
 * @param inProcess the part that is run in this process; null to run {@code parts} in others
 * @param to the file for the points of that part
 * @param folder where the verdict is written
 * @param cases the folder with the recorded answers of stock TensorFlow
 * @param python the interpreter of Python that may have peers
 * @param peers the program that measures them
 * @param build what is checked: a commit
 */
record CheckArguments(
    List<CheckPart> parts,
    boolean isList,
    boolean isRehearsal,
    boolean isSanitized,
    @Nullable String inProcess,
    @Nullable Path to,
    Path folder,
    Path cases,
    String python,
    Path peers,
    String build) {
  /** Copies the list. */
  CheckArguments {
    parts = List.copyOf(parts);
  }

  /**
   * Reads arguments.
   *
   * @throws IllegalArgumentException if one is wrong, with what is right
   */
  static CheckArguments parse(List<String> arguments) {
    Reader reader = new Reader();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.equals("--in-process") && i + 1 < arguments.size()) {
        reader.inProcess = arguments.get(++i);
      } else {
        reader.read(argument);
      }
    }
    return reader.result();
  }

  /** The arguments of these that a process for one part is given. */
  List<String> forChild() {
    List<String> arguments = new ArrayList<>();
    if (isRehearsal) {
      arguments.add("--rehearse");
    }
    arguments.addAll(List.of("--cases=" + cases, "--python=" + python, "--peers=" + peers));
    return arguments;
  }

  /** Collects what is read. */
  private static final class Reader {
    private final List<CheckPart> parts = new ArrayList<>();
    private boolean isList;
    private boolean isRehearsal;
    private boolean isSanitized;
    private @Nullable String inProcess;
    private @Nullable Path to;
    private Path folder = Path.of("verdict");
    private Path cases = Path.of("cases");
    private String python = "python3";
    private Path peers = Path.of("peers.py");
    private String build = "unknown";

    void read(String argument) {
      String[] pair = argument.split("=", 2);
      String value = pair.length == 2 ? pair[1] : "";
      switch (pair[0]) {
        case "--list" -> isList = true;
        case "--rehearse" -> isRehearsal = true;
        case "--sanitized" -> isSanitized = true;
        case "--to" -> to = Path.of(value);
        case "--folder" -> folder = Path.of(value);
        case "--cases" -> cases = Path.of(value);
        case "--python" -> python = value;
        case "--peers" -> peers = Path.of(value);
        case "--build" -> build = value;
        default -> parts.add(part(argument));
      }
    }

    private static CheckPart part(String title) {
      return CheckPart.named(title)
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "no part %s; there are %s"
                      .formatted(
                          title,
                          Arrays.stream(CheckPart.values())
                              .map(CheckPart::title)
                              .collect(Collectors.joining(", ")))));
    }

    CheckArguments result() {
      return new CheckArguments(
          parts.isEmpty() ? GpuCheck.allParts() : parts,
          isList,
          isRehearsal,
          isSanitized,
          inProcess,
          to,
          folder,
          cases,
          python,
          peers,
          build);
    }
  }
}

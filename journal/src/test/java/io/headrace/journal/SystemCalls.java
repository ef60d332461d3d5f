package io.headrace.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The changes of a process below a directory and its output, as recorded by strace. */
final class SystemCalls {
  private static final String TRACED =
      "trace=openat,write,pwrite64,fsync,fdatasync,rename,unlink,rmdir,ftruncate,mkdir";

  private static final Pattern CALL = Pattern.compile("(\\w+)\\((.*)\\) += (-?\\d+).*");
  private static final Pattern FILE = Pattern.compile("^(-?\\w+)<([^>]*)>");
  private static final Pattern STRING = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern NUMBER = Pattern.compile(", (\\d+)$");

  private SystemCalls() {}

  /**
   * A successful call.
   *
   * @param name the call, for instance "write"
   * @param path the file of its descriptor, or else its first argument
   * @param text its last string argument, decoded as ISO 8859-1; of a rename the new name
   * @param number its last argument, if it is a number
   * @param arguments all arguments, as strace prints them
   */
  record Call(String name, Path path, String text, int number, String arguments) {
    String in() {
      return name + " " + path;
    }

    byte[] bytes() {
      return text.getBytes(ISO_8859_1);
    }
  }

  /** Runs {@code command} to its end; skips the test if it can't be traced. */
  static List<Call> trace(List<String> command, Path directory, Path log)
      throws IOException, InterruptedException {
    assumeTrue(canTrace(log), "skipped: there is no strace, or it may not trace here");
    List<String> traced = new ArrayList<>(List.of("strace", "-f", "-qq", "-y", "-xx"));
    traced.addAll(List.of("-s", "1000000", "-e", "signal=none", "-e", TRACED, "-o", "" + log));
    traced.addAll(command);
    Process process = new ProcessBuilder(traced).redirectErrorStream(true).start();
    String said = process.inputReader().readAllAsString();
    if (process.waitFor() != 0) {
      throw new AssertionError("it failed: " + said);
    }
    return read(log, directory);
  }

  private static boolean canTrace(Path log) throws InterruptedException {
    try {
      List<String> command = List.of("strace", "-f", "-o", log.toString(), "true");
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static List<Call> read(Path log, Path directory) throws IOException {
    String below = hex(directory.toString());
    Map<String, String> unfinished = new HashMap<>();
    List<Call> calls = new ArrayList<>();
    try (Stream<String> lines = Files.lines(log, ISO_8859_1)) {
      lines
          .map(line -> whole(line, unfinished))
          .filter(line -> line.contains(below) || line.startsWith("write(1<"))
          .flatMap(line -> Stream.ofNullable(parse(line)))
          .forEach(calls::add);
    }
    return calls;
  }

  /** The call of a line, without the thread id; empty for a part of a call that resumes later. */
  private static String whole(String line, Map<String, String> unfinished) {
    String thread = line.substring(0, line.indexOf(' '));
    String call = line.substring(line.indexOf(' ')).strip();
    if (call.endsWith("<unfinished ...>")) {
      unfinished.put(thread, call.replaceFirst(" *<unfinished \\.\\.\\.>$", ""));
      return "";
    }
    if (call.startsWith("<... ")) {
      String end = call.replaceFirst("^<\\.\\.\\. \\w+ resumed>", "");
      return unfinished.getOrDefault(thread, "") + end;
    }
    return call;
  }

  private static @Nullable Call parse(String line) {
    Matcher call = CALL.matcher(line);
    if (!call.matches() || call.group(3).startsWith("-")) {
      return null;
    }
    String arguments = call.group(2);
    List<String> strings = STRING.matcher(arguments).results().map(s -> text(s.group(1))).toList();
    Matcher number = NUMBER.matcher(arguments);
    Matcher file = FILE.matcher(arguments);
    boolean ofFile = file.find() && !file.group(1).equals("AT_FDCWD");
    String path = ofFile ? text(file.group(2)) : strings.getFirst();
    return new Call(
        call.group(1),
        Path.of(path),
        strings.isEmpty() ? "" : strings.getLast(),
        number.find() ? Integer.parseInt(number.group(1)) : 0,
        arguments.replaceAll("\"[^\"]*\"", "\"...\""));
  }

  private static String hex(String text) {
    return HexFormat.of().withPrefix("\\x").formatHex(text.getBytes(ISO_8859_1));
  }

  private static String text(String hex) {
    return new String(HexFormat.of().withPrefix("\\x").parseHex(hex), ISO_8859_1);
  }
}

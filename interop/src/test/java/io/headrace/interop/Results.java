package io.headrace.interop;

import io.headrace.proto.data.UncompressedElement;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/** What a run of pipelines left in its folder: for each a list of elements, and how it ended. */
record Results(Path folder) {

  /** The names of all pipelines of the run, sorted. */
  List<String> names() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".properties"))
          .map(name -> name.substring(0, name.length() - ".properties".length()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What ended {@code name} with an error: "CODE: message", empty if nothing did. */
  String error(String name) {
    return properties(name).getProperty("error", "no result");
  }

  Result of(String name) {
    List<UncompressedElement> elements = new ArrayList<>();
    try (InputStream data = open(folder.resolve(name + ".elements"))) {
      for (var next = UncompressedElement.parseDelimitedFrom(data);
          next != null;
          next = UncompressedElement.parseDelimitedFrom(data)) {
        elements.add(next);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Result(name, properties(name), elements);
  }

  private Properties properties(String name) {
    var properties = new Properties();
    try (InputStream in = open(folder.resolve(name + ".properties"))) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties;
  }

  private static InputStream open(Path file) throws IOException {
    return new BufferedInputStream(Files.newInputStream(file));
  }

  /** One pipeline of a run. */
  record Result(String name, Properties properties, List<UncompressedElement> elements) {

    /** "CODE: message" of the error that ended it, empty if it came to its end. */
    String error() {
      return get("error");
    }

    Comparison comparison() {
      return Comparison.parse(get("comparison"));
    }

    /** The op types that its registered graph must have; empty where the test leaves it open. */
    List<String> ops() {
      return Stream.of(get("ops").split(",", -1)).filter(op -> !op.isEmpty()).toList();
    }

    /** What every Headrace server refuses, by its name in the message; or empty. */
    String refused() {
      return get("refused");
    }

    /** What Headrace's workers refuse, by its name in the message; or empty. */
    String unsupported() {
      return get("unsupported");
    }

    private String get(String key) {
      return properties.getProperty(key, "");
    }
  }
}

package io.headrace.cli.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The resources of a server by their paths. A segment {@code {}} of a path stands for any one
 * segment of a request's. Filled before the server starts, and only read from then on.
 */
public final class Routes {
  private static final String ANY = "{}";

  private final Map<List<String>, Resource> byPath = new LinkedHashMap<>();

  /** A resource, and the words of a request's path that it leaves open. */
  record Found(Resource resource, List<String> words) {}

  /** Adds a resource. */
  public void add(String path, Resource resource) {
    byPath.put(segments(path), resource);
  }

  /**
   * The resource at a request's path; the first of those that fit.
   *
   * @throws IllegalArgumentException for a path that can't be decoded
   */
  Optional<Found> find(String rawPath) {
    List<String> asked = segments(rawPath).stream().map(Routes::decode).toList();
    return byPath.entrySet().stream()
        .filter(route -> fits(route.getKey(), asked))
        .map(route -> new Found(route.getValue(), words(route.getKey(), asked)))
        .findFirst();
  }

  /** The parameters of a raw query. */
  static Map<String, String> query(String raw) {
    Map<String, String> query = new LinkedHashMap<>();
    for (String pair : raw.split("&", -1)) {
      int at = pair.indexOf('=');
      if (at > 0) {
        query.put(
            URLDecoder.decode(pair.substring(0, at), StandardCharsets.UTF_8),
            URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8));
      }
    }
    return query;
  }

  private static List<String> segments(String path) {
    return List.of(path.split("/", -1));
  }

  /** A plus sign stands for itself in a path. */
  private static String decode(String segment) {
    return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static boolean fits(List<String> route, List<String> asked) {
    if (route.size() != asked.size()) {
      return false;
    }
    for (int i = 0; i < route.size(); i++) {
      boolean any = route.get(i).equals(ANY) && !asked.get(i).isEmpty();
      if (!any && !route.get(i).equals(asked.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static List<String> words(List<String> route, List<String> asked) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < route.size(); i++) {
      if (route.get(i).equals(ANY)) {
        words.add(asked.get(i));
      }
    }
    return List.copyOf(words);
  }
}

package io.headrace.journal;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.headrace.runtime.status.StatusException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * The location of a journal in Google Cloud Storage.
 *
 * @param bucket the bucket's name
 * @param path the journal's path in it, without a slash at either end; may be empty
 * @param endpoint the service's URL; empty for Google's. An https endpoint gets the application
 *     default credentials, as Google's does; an http endpoint (an emulator) gets none
 */
public record GcsLocation(String bucket, String path, String endpoint) {
  private static final String SCHEME = "gs://";
  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]");

  /** Cloud Storage allows object names of 1024 bytes; the journal's own names are short. */
  private static final int MAX_PATH_BYTES = 900;

  /** Whether a work_dir names a bucket rather than a directory of this host. */
  public static boolean isBucketUrl(String workDir) {
    return workDir.startsWith(SCHEME);
  }

  /**
   * Parses "gs://bucket/path".
   *
   * @throws StatusException INVALID_ARGUMENT, naming the fault of {@code workDir} or {@code
   *     endpoint}
   */
  public static GcsLocation parse(String workDir, String endpoint) {
    require(isBucketUrl(workDir), "a work_dir in a bucket is gs://BUCKET/PATH, not %s", workDir);
    String rest = workDir.substring(SCHEME.length());
    int slash = rest.indexOf('/');
    String bucket = slash < 0 ? rest : rest.substring(0, slash);
    String path = slash < 0 ? "" : rest.substring(slash + 1);
    path = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    require(
        BUCKET.matcher(bucket).matches(),
        "%s names no bucket: a bucket's name has 3 or more of a-z, 0-9, '-', '_' and '.'",
        workDir);
    require(
        isPath(path),
        "the path of %s must be names with single slashes between, none of them '.' or '..', and"
            + " have %d bytes at most",
        workDir,
        MAX_PATH_BYTES);
    require(
        endpoint.isEmpty() || isEndpoint(endpoint),
        "the endpoint of Cloud Storage must be http://HOST:PORT or https://HOST:PORT, not %s",
        endpoint);
    return new GcsLocation(bucket, path, endpoint);
  }

  /** The prefix of the names of all its objects. */
  String prefix() {
    return path.isEmpty() ? "" : path + "/";
  }

  /** The URL of the journal's object {@code name}. */
  String url(String name) {
    return SCHEME + bucket + "/" + prefix() + name;
  }

  /** Whether requests carry credentials, which must not cross a network in the clear. */
  boolean hasCredentials() {
    return !endpoint.startsWith("http:");
  }

  /** In the form of a work_dir. */
  @Override
  public String toString() {
    return SCHEME + bucket + (path.isEmpty() ? "" : "/" + path);
  }

  private static boolean isPath(String path) {
    return path.getBytes(StandardCharsets.UTF_8).length <= MAX_PATH_BYTES
        && path.codePoints().noneMatch(Character::isISOControl)
        && (path.isEmpty()
            || Arrays.stream(path.split("/", -1))
                .noneMatch(name -> name.isEmpty() || name.equals(".") || name.equals("..")));
  }

  private static boolean isEndpoint(String endpoint) {
    try {
      URI uri = new URI(endpoint);
      return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null
          && uri.getUserInfo() == null
          && (uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"))
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  @FormatMethod
  private static void require(boolean valid, @FormatString String rule, Object... arguments) {
    if (!valid) {
      throw StatusException.invalidArgument(rule, arguments);
    }
  }
}

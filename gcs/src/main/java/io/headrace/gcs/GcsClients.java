package io.headrace.gcs;

import com.google.api.gax.retrying.RetrySettings;
import com.google.auth.Credentials;
import com.google.cloud.http.HttpTransportOptions;
import com.google.cloud.storage.HttpStorageOptions;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.StorageOptions;
import java.time.Duration;

/** Makes clients of Google Cloud Storage. */
public final class GcsClients {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** No request belongs to a project; unset, the library would look for one. */
  private static final String NO_PROJECT = "none";

  private GcsClients() {}

  /**
   * Prepares a client, without a request to the service.
   *
   * @param endpoint the service's URL; empty for Google's
   * @param timeout the longest wait for an answer to a request, or for its next bytes
   * @param retries how failed requests are repeated
   */
  public static Storage connect(
      String endpoint, Credentials credentials, Duration timeout, RetrySettings retries) {
    int millis = Math.toIntExact(timeout.toMillis());
    HttpStorageOptions.Builder options =
        StorageOptions.http()
            .setProjectId(NO_PROJECT)
            .setCredentials(credentials)
            .setRetrySettings(retries)
            .setTransportOptions(
                HttpTransportOptions.newBuilder()
                    .setConnectTimeout(
                        Math.toIntExact(Math.min(millis, CONNECT_TIMEOUT.toMillis())))
                    .setReadTimeout(millis)
                    .build());
    if (!endpoint.isEmpty()) {
      options.setHost(endpoint);
    }
    return options.build().getService();
  }
}

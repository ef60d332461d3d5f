package io.headrace.gcs;

import com.google.cloud.storage.BlobId;
import io.headrace.runtime.status.StatusException;

/**
 * A name of a file or folder in Cloud Storage, {@code gs://BUCKET/OBJECT}.
 *
 * @param bucket not empty
 * @param object without a slash at its end; empty for the bucket's root
 */
record GcsName(String bucket, String object) {
  static final String SCHEME = "gs";
  private static final String START = SCHEME + "://";

  /** Parses a name; INVALID_ARGUMENT without a bucket. */
  static GcsName parse(String name) {
    String rest = name.substring(START.length());
    int slash = rest.indexOf('/');
    String bucket = slash < 0 ? rest : rest.substring(0, slash);
    if (bucket.isEmpty()) {
      throw StatusException.invalidArgument("GCS path doesn't contain a bucket name: %s", name);
    }
    String object = slash < 0 ? "" : rest.substring(slash + 1);
    while (object.endsWith("/")) {
      object = object.substring(0, object.length() - 1);
    }
    return new GcsName(bucket, object);
  }

  /** Parses a file's name; INVALID_ARGUMENT without an object. */
  static GcsName parseFile(String name) {
    GcsName parsed = parse(name);
    if (parsed.object.isEmpty()) {
      throw StatusException.invalidArgument("GCS path doesn't contain an object name: %s", name);
    }
    return parsed;
  }

  /** The object of the file. */
  BlobId id() {
    return BlobId.of(bucket, object);
  }

  /** The empty object that stands for the folder, as Google's own tools and TensorFlow make it. */
  BlobId marker() {
    return BlobId.of(bucket, object + "/");
  }

  /** The prefix of all objects in the folder. */
  String prefix() {
    return object.isEmpty() ? "" : object + "/";
  }

  /** The name of another object in the bucket. */
  String sibling(String other) {
    return START + bucket + "/" + other;
  }
}

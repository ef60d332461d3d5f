package io.headrace.cli;

import io.headrace.proto.data.DeploymentMode;
import java.util.Locale;

/** TensorFlow's deployment modes, as spelled in the flag. */
enum Deployment {
  /** Unspecified. */
  UNSPECIFIED,
  /** Workers are colocated with trainers. */
  COLOCATED,
  /** Workers run on machines of their own. */
  REMOTE,
  /** Workers of both kinds. */
  HYBRID;

  DeploymentMode mode() {
    return switch (this) {
      case UNSPECIFIED -> DeploymentMode.DEPLOYMENT_MODE_UNSPECIFIED;
      case COLOCATED -> DeploymentMode.DEPLOYMENT_MODE_COLOCATED;
      case REMOTE -> DeploymentMode.DEPLOYMENT_MODE_REMOTE;
      case HYBRID -> DeploymentMode.DEPLOYMENT_MODE_HYBRID;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

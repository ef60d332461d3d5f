package io.headrace.cli;

import io.headrace.proto.data.DeploymentMode;
import java.util.Locale;

/** TensorFlow's deployment modes, as they are written in a flag. */
enum Deployment {
  /** Nobody said. */
  UNSPECIFIED,
  /** Each worker runs in a trainer's process. */
  COLOCATED,
  /** Workers run on machines of their own. */
  REMOTE,
  /** Both. */
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

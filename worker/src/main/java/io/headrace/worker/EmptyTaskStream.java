package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamSource;
import java.util.List;

/** A stream on a task that has ended and was deleted: it yields only the end. */
final class EmptyTaskStream implements StreamSource {
  @Override
  public long incarnation() {
    return 0;
  }

  @Override
  public StreamItem take() {
    return new StreamItem.End();
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public void acknowledge(long rows) {}

  @Override
  public void close(List<StreamItem> unconsumed, boolean broken) {}
}

package io.headrace.cli.metrics;

import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.PointData;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.resources.Resource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Readings with at most {@link Samples#MAX} series: gRPC's metrics get the room that the others
 * leave, and what has no room is left out and counted with what they left out themselves. The
 * buckets, the sum and the count of a histogram are a series each, as in Prometheus. Thread-safe,
 * as its source is.
 */
final class SeriesLimit implements CollectionRegistration {
  /** Series beside the buckets of a histogram. */
  private static final int SUM_AND_COUNT = 2;

  private final CollectionRegistration source;

  SeriesLimit(CollectionRegistration source) {
    this.source = source;
  }

  @Override
  public Collection<MetricData> collectAllMetrics() {
    Collection<MetricData> read = source.collectAllMetrics();
    if (read.stream().noneMatch(GrpcMetrics::has)) {
      return read;
    }
    Room room = new Room(Samples.MAX);
    List<MetricData> own = new ArrayList<>();
    for (MetricData metric : read) {
      if (!GrpcMetrics.has(metric)) {
        own.add(metric);
        metric.getData().getPoints().forEach(point -> room.left -= series(point));
      }
    }
    List<MetricData> kept = new ArrayList<>();
    for (MetricData metric : read) {
      if (GrpcMetrics.has(metric)) {
        MetricData rest = cut(metric, room);
        if (!rest.isEmpty()) {
          kept.add(rest);
        }
      }
    }
    own.forEach(metric ->
        kept.add(
            metric.getName().equals(Instruments.LEFT_OUT.name())
                ? raised(metric, room.leftOut)
                : metric));
    return kept;
  }

  private static int series(PointData point) {
    return point instanceof HistogramPointData histogram
        ? histogram.getCounts().size() + SUM_AND_COUNT
        : 1;
  }

  private static MetricData cut(MetricData metric, Room room) {
    if (metric.getType() == MetricDataType.HISTOGRAM) {
      HistogramData whole = metric.getHistogramData();
      return new Replaced(
          metric,
          HistogramData.create(whole.getAggregationTemporality(), room.take(whole.getPoints())));
    }
    if (metric.getType() == MetricDataType.LONG_SUM) {
      var whole = metric.getLongSumData();
      return new Replaced(
          metric,
          SumData.createLongSumData(
              whole.isMonotonic(),
              whole.getAggregationTemporality(),
              room.take(whole.getPoints())));
    }
    return metric;
  }

  private static MetricData raised(MetricData count, long more) {
    return new Replaced(
        count,
        GaugeData.createDoubleGaugeData(
            count.getDoubleGaugeData().getPoints().stream()
                .map(point ->
                    DoublePointData.create(
                        point.getStartEpochNanos(),
                        point.getEpochNanos(),
                        point.getAttributes(),
                        point.getValue() + more,
                        List.of()))
                .toList()));
  }

  /** The room for series, and those that had none. */
  private static final class Room {
    private long left;
    private long leftOut;

    Room(long left) {
      this.left = left;
    }

    /** The first of the points, as far as there is room. */
    <P extends PointData> List<P> take(Collection<P> points) {
      List<P> taken = new ArrayList<>();
      for (P point : points) {
        int series = series(point);
        if (series <= left) {
          left -= series;
          taken.add(point);
        } else {
          leftOut += series;
        }
      }
      return taken;
    }
  }

  /** A metric with other data of its kind. */
  private record Replaced(MetricData whole, Data<?> data) implements MetricData {
    @Override
    public Resource getResource() {
      return whole.getResource();
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
      return whole.getInstrumentationScopeInfo();
    }

    @Override
    public String getName() {
      return whole.getName();
    }

    @Override
    public String getDescription() {
      return whole.getDescription();
    }

    @Override
    public String getUnit() {
      return whole.getUnit();
    }

    @Override
    public MetricDataType getType() {
      return whole.getType();
    }

    @Override
    public Data<?> getData() {
      return data;
    }
  }
}

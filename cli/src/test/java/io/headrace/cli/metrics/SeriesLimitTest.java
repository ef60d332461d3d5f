package io.headrace.cli.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readings of a process whose metrics and gRPC's are more than there is room for. */
final class SeriesLimitTest {
  private static final AttributeKey<String> LABEL = AttributeKey.stringKey("label");
  private static final List<Double> BOUNDS = List.of(1.0, 2.0, 3.0);

  /** Four buckets, the sum and the count. */
  private static final int SERIES_OF_A_HISTOGRAM = 6;

  private final Reader reader = new Reader();
  private final SdkMeterProvider provider =
      SdkMeterProvider.builder().registerMetricReader(reader, _ -> 2 * Samples.MAX).build();
  private final Meter own = provider.get("io.headrace");
  private final Meter grpc = provider.get(GrpcMetrics.SCOPE);

  @AfterEach
  void close() {
    provider.close();
  }

  private Map<String, MetricData> reading() {
    return new SeriesLimit(reader.source)
        .collectAllMetrics().stream()
            .collect(Collectors.toMap(MetricData::getName, metric -> metric));
  }

  private static MetricData metric(Map<String, MetricData> reading, String name) {
    return Objects.requireNonNull(reading.get(name));
  }

  private static Attributes label(int i) {
    return Attributes.of(LABEL, "n" + i);
  }

  /** Own gauges, of which three were left out. */
  private void observe(int series) {
    var _ =
        own.gaugeBuilder("own")
            .buildWithCallback(gauge -> {
              for (int i = 0; i < series; i++) {
                gauge.record(i, label(i));
              }
            });
    var _ =
        own.gaugeBuilder(Instruments.LEFT_OUT.name())
            .buildWithCallback(gauge -> gauge.record(3, Attributes.empty()));
  }

  private void measure(int series) {
    DoubleHistogram histogram =
        grpc.histogramBuilder("grpc.server.call.duration")
            .setExplicitBucketBoundariesAdvice(BOUNDS)
            .build();
    for (int i = 0; i < series; i++) {
      histogram.record(i, label(i));
    }
  }

  private static double leftOut(Map<String, MetricData> reading) {
    return metric(reading, Instruments.LEFT_OUT.name())
        .getDoubleGaugeData()
        .getPoints()
        .iterator()
        .next()
        .getValue();
  }

  @Test
  void allMetrics_whileThereIsRoom_areKept() {
    observe(100);
    measure(100);

    Map<String, MetricData> reading = reading();

    assertThat(metric(reading, "own").getData().getPoints()).hasSize(100);
    assertThat(metric(reading, "grpc.server.call.duration").getData().getPoints()).hasSize(100);
    assertThat(leftOut(reading)).isEqualTo(3);
  }

  @Test
  void grpcsMetrics_haveTheRoomThatIsLeft_andTheRestIsCounted() {
    observe(Samples.MAX - 1 - 10 * SERIES_OF_A_HISTOGRAM);
    measure(100);

    Map<String, MetricData> reading = reading();

    assertThat(metric(reading, "grpc.server.call.duration").getData().getPoints()).hasSize(10);
    assertThat(leftOut(reading)).isEqualTo(3 + 90 * SERIES_OF_A_HISTOGRAM);
  }

  @Test
  void grpcsCounters_areCut_too() {
    observe(Samples.MAX - 1 - 10);
    var counter = grpc.counterBuilder("grpc.server.call.started").build();
    for (int i = 0; i < 100; i++) {
      counter.add(1, label(i));
    }

    Map<String, MetricData> reading = reading();

    MetricData counted = metric(reading, "grpc.server.call.started");
    assertThat(counted.getLongSumData().getPoints()).hasSize(10);
    assertThat(counted.getLongSumData().isMonotonic()).isTrue();
    assertThat(leftOut(reading)).isEqualTo(3 + 90);
  }

  @Test
  void grpcsMetrics_withoutAnyRoom_areGone() {
    observe(Samples.MAX);
    measure(1);

    Collection<MetricData> all = new SeriesLimit(reader.source).collectAllMetrics();

    assertThat(all)
        .extracting(MetricData::getName)
        .containsExactlyInAnyOrder("own", Instruments.LEFT_OUT.name());
  }

  /** Gives its source away. */
  private static final class Reader implements MetricReader {
    private CollectionRegistration source = CollectionRegistration.noop();

    @Override
    public void register(CollectionRegistration registration) {
      source = registration;
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode forceFlush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}

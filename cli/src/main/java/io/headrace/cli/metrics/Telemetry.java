package io.headrace.cli.metrics;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.headrace.runtime.time.Ticker;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The export of a process's metrics by OpenTelemetry: to those who ask, and to a receiver.
 * Instruments that a server updates itself are made with {@link #meter}; all others are read from
 * the server's figures when somebody asks. Closing it takes a few seconds at the most, and does no
 * harm twice. Thread-safe.
 */
public final class Telemetry implements AutoCloseable {
  private static final String SCOPE = "io.headrace";

  /** Series of an instrument that is updated as things happen; what is beyond them is one more. */
  private static final int MAX_UPDATED = 1000;

  private static final Duration FLUSH_PATIENCE = Duration.ofSeconds(1);

  private final SdkMeterProvider provider;
  private final PrometheusMetricReader reader;
  private final JvmMetrics jvm;

  /**
   * Metrics as text.
   *
   * @param type the media type
   * @param bytes the text, which nobody changes
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Exposition(String type, byte[] bytes) {}

  private Telemetry(SdkMeterProvider provider, PrometheusMetricReader reader, JvmMetrics jvm) {
    this.provider = provider;
    this.reader = reader;
    this.jvm = jvm;
  }

  /**
   * The export of a process. With gRPC's metrics, once in a process, before it has servers or
   * channels.
   *
   * @param config what is exported, and where to
   * @param ticker measures how often warnings come
   */
  public static Telemetry start(TelemetryConfig config, Ticker ticker) {
    PrometheusMetricReader reader =
        PrometheusMetricReader.builder().setOtelScopeLabelsEnabled(false).build();
    SdkMeterProviderBuilder builder = SdkMeterProvider.builder().setResource(resource(config));
    register(reader, builder);
    config.otlp().ifPresent(otlp -> register(new OtlpReader(otlp, ticker), builder));
    SdkMeterProvider provider = builder.build();
    if (config.grpc()) {
      GrpcMetrics.start(provider);
    }
    return new Telemetry(provider, reader, JvmMetrics.start(provider.get(SCOPE)));
  }

  private static Resource resource(TelemetryConfig config) {
    AttributesBuilder attributes =
        Attributes.builder()
            .put("service.name", config.service())
            .put("service.version", config.version())
            .put("service.instance.id", UUID.randomUUID().toString());
    config.otlp().ifPresent(otlp -> otlp.attributes().forEach(attributes::put));
    return Resource.create(attributes.build());
  }

  private static void register(MetricReader reader, SdkMeterProviderBuilder builder) {
    var _ =
        builder.registerMetricReader(
            new Limited(reader),
            type ->
                switch (type) {
                  case COUNTER, UP_DOWN_COUNTER, HISTOGRAM, GAUGE -> MAX_UPDATED;
                  case OBSERVABLE_COUNTER, OBSERVABLE_UP_DOWN_COUNTER, OBSERVABLE_GAUGE ->
                      Samples.MAX;
                });
  }

  /** Reads no more series than a process has. */
  private record Limited(MetricReader reader) implements MetricReader {
    @Override
    public void register(CollectionRegistration registration) {
      reader.register(new SeriesLimit(registration));
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
      return reader.getAggregationTemporality(type);
    }

    @Override
    public Aggregation getDefaultAggregation(InstrumentType type) {
      return reader.getDefaultAggregation(type);
    }

    @Override
    public MemoryMode getMemoryMode() {
      return reader.getMemoryMode();
    }

    @Override
    public CompletableResultCode forceFlush() {
      return reader.forceFlush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return reader.shutdown();
    }
  }

  /** Makes instruments that a server updates itself. */
  public Meter meter() {
    return provider.get(SCOPE);
  }

  /** Exports the metrics of {@code source}, and the JVM's; called once. */
  public void export(MetricsSource source) {
    Meter meter = meter();
    Map<Instrument, ObservableDoubleMeasurement> observed = new HashMap<>();
    source.instruments().forEach(instrument -> observe(instrument, meter, observed));
    Instruments.PROCESS.forEach(instrument -> observe(instrument, meter, observed));
    ObservableMeasurement[] all = observed.values().toArray(ObservableMeasurement[]::new);
    var _ =
        meter.batchCallback(
            () -> {
              Samples samples = new Samples();
              JvmMetrics.sample(samples);
              source.sample(samples);
              for (Samples.Sample sample : samples.all()) {
                @Nullable ObservableDoubleMeasurement of = observed.get(sample.instrument());
                if (of != null) {
                  of.record(sample.value(), sample.attributes());
                }
              }
            },
            all[0],
            all);
  }

  private static void observe(
      Instrument instrument, Meter meter, Map<Instrument, ObservableDoubleMeasurement> observed) {
    switch (instrument.kind()) {
      case COUNTER ->
          observed.put(
              instrument,
              meter
                  .counterBuilder(instrument.name())
                  .ofDoubles()
                  .setUnit(instrument.unit())
                  .setDescription(instrument.meaning())
                  .buildObserver());
      case AMOUNT ->
          observed.put(
              instrument,
              meter
                  .upDownCounterBuilder(instrument.name())
                  .ofDoubles()
                  .setUnit(instrument.unit())
                  .setDescription(instrument.meaning())
                  .buildObserver());
      case GAUGE ->
          observed.put(
              instrument,
              meter
                  .gaugeBuilder(instrument.name())
                  .setUnit(instrument.unit())
                  .setDescription(instrument.meaning())
                  .buildObserver());
      case HISTOGRAM -> {}
    }
  }

  /**
   * Sends the metrics once more to where they are sent. Waits a second at the most, until they have
   * been read.
   */
  public void flush() {
    var _ = provider.forceFlush().join(FLUSH_PATIENCE.toMillis(), MILLISECONDS);
  }

  /**
   * The metrics in Prometheus' text.
   *
   * @param accept the media types that the client takes, of which one is chosen
   */
  public Exposition prometheus(String accept) {
    ExpositionFormatWriter writer = ExpositionFormats.init().findWriter(accept);
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try {
      writer.write(text, reader.collect());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Exposition(writer.getContentType(), text.toByteArray());
  }

  @Override
  public void close() {
    jvm.close();
    provider.close();
  }
}

package io.headrace.cli.metrics;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.OperatingSystemMXBean;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadMXBean;
import java.util.List;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/** The JVM's metrics, by the names that OpenTelemetry's conventions give them. Thread-safe. */
final class JvmMetrics implements AutoCloseable {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;
  private static final List<Double> GC_BOUNDS = List.of(0.01, 0.1, 1.0, 10.0);

  private final DoubleHistogram collections;
  private final NotificationListener listener = (event, _) -> collected(event.getUserData());

  private JvmMetrics(DoubleHistogram collections) {
    this.collections = collections;
  }

  /** Begins to note garbage collections for {@code meter}. */
  static JvmMetrics start(Meter meter) {
    JvmMetrics started =
        new JvmMetrics(
            meter
                .histogramBuilder(Instruments.GC.name())
                .setUnit(Instruments.GC.unit())
                .setDescription(Instruments.GC.meaning())
                .setExplicitBucketBoundariesAdvice(GC_BOUNDS)
                .build());
    emitters()
        .forEach(collector -> collector.addNotificationListener(started.listener, null, null));
    return started;
  }

  private static List<NotificationEmitter> emitters() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(NotificationEmitter.class::isInstance)
        .map(NotificationEmitter.class::cast)
        .toList();
  }

  private void collected(Object data) {
    if (data instanceof CompositeData composite) {
      GarbageCollectionNotificationInfo info = GarbageCollectionNotificationInfo.from(composite);
      collections.record(
          info.getGcInfo().getDuration() / MILLIS_PER_SECOND,
          Attributes.builder()
              .put(Instruments.GC.labels().get(0), info.getGcName())
              .put(Instruments.GC.labels().get(1), info.getGcAction())
              .build());
    }
  }

  /** Adds the present values. */
  static void sample(Samples samples) {
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      MemoryUsage usage = pool.getUsage();
      String type = pool.getType() == MemoryType.HEAP ? "heap" : "non_heap";
      samples.add(Instruments.MEMORY_USED, usage.getUsed(), type, pool.getName());
      samples.add(Instruments.MEMORY_COMMITTED, usage.getCommitted(), type, pool.getName());
      if (usage.getMax() >= 0) {
        samples.add(Instruments.MEMORY_LIMIT, usage.getMax(), type, pool.getName());
      }
    }
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    int daemons = threads.getDaemonThreadCount();
    samples.add(Instruments.THREADS, daemons, "true");
    samples.add(Instruments.THREADS, Math.max(0, threads.getThreadCount() - daemons), "false");
    samples.add(
        Instruments.CLASSES, ManagementFactory.getClassLoadingMXBean().getLoadedClassCount());
    samples.add(Instruments.CPU_COUNT, Runtime.getRuntime().availableProcessors());
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      samples.add(Instruments.CPU_TIME, system.getProcessCpuTime() / NANOS_PER_SECOND);
      samples.add(Instruments.CPU_UTILIZATION, Math.clamp(system.getProcessCpuLoad(), 0, 1));
    }
  }

  @Override
  public void close() {
    for (NotificationEmitter collector : emitters()) {
      try {
        collector.removeNotificationListener(listener);
      } catch (ListenerNotFoundException e) {
        // Closed already.
      }
    }
  }
}

package io.headrace.rpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Has those who listen to dispatchers ignore one that was superseded: whoever has heard of an epoch
 * hears nothing more from an older one of the same journal. Such a dispatcher can't know that it is
 * no longer right before it tries to write. Thread-safe.
 *
 * <p>Epochs travel as a header, {@code headrace-dispatcher-epoch}, of what dispatchers ask, and of
 * what they answer to those whose requests have it with the value {@code ?}. TensorFlow's peers
 * pass it over, and what has none is not held back.
 */
public final class EpochFence {
  private static final Metadata.Key<String> HEADER =
      Metadata.Key.of("headrace-dispatcher-epoch", Metadata.ASCII_STRING_MARSHALLER);

  private static final String WANTED = "?";

  /** Journals that are remembered: those that were heard of last. */
  private static final int MAX_JOURNALS = 64;

  private final Map<UUID, Long> newest = new LinkedHashMap<>(16, 0.75f, true);

  /** A fence that has heard of no epoch. */
  public EpochFence() {}

  /** Whether a newer epoch was heard of than {@code epoch}, which is heard of now. */
  private synchronized boolean isSuperseded(DispatcherEpoch epoch) {
    @Nullable Long known = newest.get(epoch.journal());
    if (known != null && known > epoch.number()) {
      return true;
    }
    newest.put(epoch.journal(), epoch.number());
    if (newest.size() > MAX_JOURNALS) {
      newest.remove(newest.keySet().iterator().next());
    }
    return false;
  }

  private Optional<Status> refusal(Optional<DispatcherEpoch> heard) {
    return heard
        .filter(this::isSuperseded)
        .map(epoch ->
            Status.UNAVAILABLE.withDescription(
                "this dispatcher (start %d on its work_dir) was superseded by one that was started"
                        .formatted(epoch.number())
                    + " later, and is not listened to"));
  }

  private static Optional<DispatcherEpoch> of(Metadata headers) {
    return Optional.ofNullable(headers.get(HEADER)).flatMap(DispatcherEpoch::of);
  }

  private static Metadata headers(DispatcherEpoch epoch) {
    Metadata headers = new Metadata();
    headers.put(HEADER, epoch.toHeader());
    return headers;
  }

  // A dispatcher's side.

  /** Has a dispatcher's answers, failures too, say to who asks of which epoch they are. */
  public static ServerInterceptor markingAnswers(DispatcherEpoch epoch) {
    String value = epoch.toHeader();
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return next.startCall(
            headers.containsKey(HEADER) ? new MarkedCall<>(call, value) : call, headers);
      }
    };
  }

  /** A call whose first headers, or the trailers where it has none, say of which epoch it is. */
  private static final class MarkedCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final String epoch;
    private boolean isMarked;

    MarkedCall(ServerCall<Q, R> call, String epoch) {
      super(call);
      this.epoch = epoch;
    }

    @Override
    public void sendHeaders(Metadata headers) {
      isMarked = true;
      headers.put(HEADER, epoch);
      super.sendHeaders(headers);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      trailers.discardAll(HEADER);
      if (!isMarked) {
        trailers.put(HEADER, epoch);
      }
      super.close(status, trailers);
    }
  }

  /** Has a dispatcher's requests say of which epoch they are. */
  public static ClientInterceptor markingRequests(DispatcherEpoch epoch) {
    return MetadataUtils.newAttachHeadersInterceptor(headers(epoch));
  }

  // The side of those who listen.

  /** Refuses requests of superseded dispatchers: UNAVAILABLE. */
  public ServerInterceptor ofRequests() {
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Optional<Status> refusal = refusal(of(headers));
        if (refusal.isEmpty()) {
          return next.startCall(call, headers);
        }
        call.close(refusal.get(), new Metadata());
        return new ServerCall.Listener<>() {};
      }
    };
  }

  /**
   * Fails calls that a superseded dispatcher answers with UNAVAILABLE, streams also in the middle.
   *
   * @param onRefusal called then, on a thread of the transport: to look for the right one
   */
  public ClientInterceptor ofAnswers(Runnable onRefusal) {
    return new ClientInterceptor() {
      @Override
      public <Q, R> ClientCall<Q, R> interceptCall(
          MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<Q, R>(next.newCall(method, options)) {
          @Override
          public void start(Listener<R> listener, Metadata headers) {
            headers.put(HEADER, WANTED);
            super.start(new Listening<>(listener, delegate(), onRefusal), headers);
          }
        };
      }
    };
  }

  /** Hears an answer until it is found to be a superseded dispatcher's. */
  private final class Listening<R> extends SimpleForwardingClientCallListener<R> {
    private final ClientCall<?, R> call;
    private final Runnable onRefusal;
    private Optional<DispatcherEpoch> epoch = Optional.empty();
    private @Nullable Status refused;

    Listening(ClientCall.Listener<R> listener, ClientCall<?, R> call, Runnable onRefusal) {
      super(listener);
      this.call = call;
      this.onRefusal = onRefusal;
    }

    @Override
    public void onHeaders(Metadata headers) {
      epoch = of(headers);
      if (check()) {
        super.onHeaders(headers);
      }
    }

    @Override
    public void onMessage(R message) {
      if (check()) {
        super.onMessage(message);
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (epoch.isEmpty()) {
        epoch = of(trailers);
      }
      boolean heard = check();
      Status why = refused;
      super.onClose(heard || why == null ? status : why, trailers);
    }

    /** Whether what came counts. */
    private boolean check() {
      if (refused == null) {
        refusal(epoch)
            .ifPresent(status -> {
              refused = status;
              call.cancel("a superseded dispatcher answered", null);
              onRefusal.run();
            });
      }
      return refused == null;
    }
  }
}

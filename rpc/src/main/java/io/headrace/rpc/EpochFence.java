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
 * Fences off superseded dispatchers: a process that has had a reply of an epoch of a journal
 * refuses requests and replies of older epochs of that journal. A superseded dispatcher itself does
 * not know that it is superseded before it writes to the journal. Thread-safe.
 *
 * <p>Epochs travel in a header, {@code headrace-dispatcher-epoch}: dispatchers set it in their
 * requests, and in their replies to requests that have it with the value {@code ?}. TensorFlow's
 * peers ignore it. Requests and replies without an epoch pass.
 */
public final class EpochFence {
  private static final Metadata.Key<String> HEADER =
      Metadata.Key.of("headrace-dispatcher-epoch", Metadata.ASCII_STRING_MARSHALLER);

  private static final String WANTED = "?";

  /** The capacity of {@link #newest}, an LRU map. */
  private static final int MAX_JOURNALS = 64;

  private final Map<UUID, Long> newest = new LinkedHashMap<>(16, 0.75f, true);

  /** A fence that has seen no epoch. */
  public EpochFence() {}

  /**
   * Records {@code epoch}.
   *
   * @return whether a newer epoch of its journal was seen before
   */
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

  private static Status refusal(DispatcherEpoch epoch) {
    return Status.UNAVAILABLE.withDescription(
        "this dispatcher (start %d on its work_dir) was superseded by one that was started"
                .formatted(epoch.number())
            + " later, and is not listened to");
  }

  /**
   * The newest known epoch of the journal of {@code claimed} minus that one; 0 if none is known.
   */
  private synchronized long lag(DispatcherEpoch claimed) {
    @Nullable Long known = newest.get(claimed.journal());
    return known == null ? 0 : known - claimed.number();
  }

  private static Optional<DispatcherEpoch> of(Metadata headers) {
    return Optional.ofNullable(headers.get(HEADER)).flatMap(DispatcherEpoch::of);
  }

  private static Metadata headers(DispatcherEpoch epoch) {
    Metadata headers = new Metadata();
    headers.put(HEADER, epoch.toHeader());
    return headers;
  }

  // The dispatcher's side.

  /**
   * Adds {@code epoch} to the dispatcher's replies, including failures, if the request wants it.
   */
  public static ServerInterceptor markingAnswers(DispatcherEpoch epoch) {
    String value = epoch.toHeader();
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return next.startCall(
            WANTED.equals(headers.get(HEADER)) ? new MarkedCall<>(call, value) : call, headers);
      }
    };
  }

  /** A call that adds the epoch to its headers, or to its trailers if it sends no headers. */
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

  /** Adds {@code epoch} to the dispatcher's requests. */
  public static ClientInterceptor markingRequests(DispatcherEpoch epoch) {
    return MetadataUtils.newAttachHeadersInterceptor(headers(epoch));
  }

  // The peers' side.

  /**
   * Answers requests of superseded dispatchers with UNAVAILABLE. A request proves nothing, as
   * anyone may send it: only replies to own requests tell of newer epochs.
   *
   * @param onNewer called, on a thread of the transport, when a request claims a newer epoch than
   *     is known, to ask the dispatcher itself
   */
  public ServerInterceptor ofRequests(Runnable onNewer) {
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Optional<DispatcherEpoch> claimed = of(headers);
        long lag = claimed.map(EpochFence.this::lag).orElse(0L);
        if (lag > 0) {
          call.close(refusal(claimed.orElseThrow()), new Metadata());
          return new ServerCall.Listener<>() {};
        }
        if (lag < 0) {
          onNewer.run();
        }
        return next.startCall(call, headers);
      }
    };
  }

  /**
   * Fails calls with UNAVAILABLE if a superseded dispatcher answers them, including streams under
   * way.
   *
   * @param onRefusal called on such a failure, on a thread of the transport, to find the current
   *     dispatcher
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
            super.start(new FencedListener<>(listener, delegate(), onRefusal), headers);
          }
        };
      }
    };
  }

  /** Forwards a reply unless a superseded dispatcher sent it. */
  private final class FencedListener<R> extends SimpleForwardingClientCallListener<R> {
    private final ClientCall<?, R> call;
    private final Runnable onRefusal;
    private Optional<DispatcherEpoch> epoch = Optional.empty();
    private @Nullable Status refused;

    FencedListener(ClientCall.Listener<R> listener, ClientCall<?, R> call, Runnable onRefusal) {
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
      boolean isCurrent = check();
      Status why = refused;
      super.onClose(isCurrent || why == null ? status : why, trailers);
    }

    /**
     * Checks the epoch.
     *
     * @return whether to forward the reply
     */
    private boolean check() {
      if (refused == null) {
        epoch
            .filter(EpochFence.this::isSuperseded)
            .ifPresent(superseded -> {
              refused = refusal(superseded);
              call.cancel("a superseded dispatcher answered", null);
              onRefusal.run();
            });
      }
      return refused == null;
    }
  }
}

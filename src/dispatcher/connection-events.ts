// How a connection fares, told to whoever wants to show or log it.

export type ConnectionEvent =
  /** Ready for calls. */
  | { readonly type: 'open' }
  /** The way to the peer is broken; what can be repeated without harm is being repeated. */
  | { readonly type: 'degraded'; readonly reason: Error }
  /**
   * The way is good again. In a new session the peer knows nothing of the old one: a `Client` subscribes to its resources and
   * sets the log level again by itself; whoever uses a session alone has to.
   */
  | { readonly type: 'recovered'; readonly isNewSession: boolean }
  /** Nothing comes after this. The reason is absent where the end was asked for here. */
  | { readonly type: 'closed'; readonly reason?: Error }

export type OnConnection = (event: ConnectionEvent) => void

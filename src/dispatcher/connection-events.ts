// Changes of a connection's state, for programs that show or log them.

export type ConnectionEvent =
  /** Ready for calls. */
  | { readonly type: 'open' }
  /** The peer cannot be reached; requests that are safe to repeat are being retried. */
  | { readonly type: 'degraded'; readonly reason: Error }
  /**
   * The peer can be reached again. In a new session the peer knows nothing of the old one: a `Client` subscribes to its resources
   * and sets the log level again by itself; code that uses a `ClientSession` alone has to.
   */
  | { readonly type: 'recovered'; readonly isNewSession: boolean }
  /** The peer can no longer send messages of its own, such as list changes, and the client does not reconnect. Requests still work. */
  | { readonly type: 'notifications-lost'; readonly reason: Error }
  /** Nothing comes after this. The reason is absent where the end was asked for here. */
  | { readonly type: 'closed'; readonly reason?: Error }

export type OnConnection = (event: ConnectionEvent) => void

// What this module needs of a client library of NATS: the connection of @nats-io/transport-node has it.

export interface NatsHeaders {
  get(name: string): string
  set(name: string, value: string): void
  /** Of a status: 404 where nothing is there, 503 where nobody answers. */
  readonly code: number
}

export interface NatsMessage {
  readonly subject: string
  readonly data: Uint8Array
  readonly reply?: string
  readonly headers?: NatsHeaders
}

export interface NatsStatus {
  readonly type: string
  readonly error?: unknown
}

/** A connection of `@nats-io/transport-node`. It stays yours: `close` of the backend does not close it. */
export interface NatsConnectionLike {
  /** What the NATS server reports about itself. */
  readonly info?:
    | {
        /** The version of the NATS server, such as `2.10.29`. */
        readonly version: string
        /** The largest message that the NATS server accepts, in bytes. */
        readonly max_payload: number
        /** True if the NATS server has JetStream, which is needed. */
        readonly jetstream?: boolean
      }
    | undefined
  /** Sends a message without an answer. */
  publish(subject: string, payload?: string, options?: { reply?: string; headers?: never }): void
  /** Receives messages of a subject. */
  subscribe(
    subject: string,
    options: { callback: (error: Error | null, message: unknown) => void },
  ): { unsubscribe(): void }
  /** Sends a message and resolves to its answer. `timeout` is in milliseconds. */
  request(subject: string, payload?: string, options?: { timeout: number; headers?: never }): Promise<unknown>
  /** Resolves when everything sent so far has arrived at the server. */
  flush(): Promise<void>
  /** Yields changes of the connection, such as a reconnect. */
  status(): AsyncIterable<NatsStatus>
  /** True after the connection was closed for good. */
  isClosed(): boolean
  /** Ends the connection. */
  close(): Promise<void>
}

/** What this module calls beside the connection. */
export interface NatsLibrary {
  connect(options: object): Promise<NatsConnectionLike>
  headers(): NatsHeaders
}

export function isNatsConnection(value: unknown): value is NatsConnectionLike {
  if (typeof value !== 'object' || value === null) return false
  return ['publish', 'subscribe', 'request', 'flush', 'status'].every((name) => name in value)
}

/** Bytes as text. `string()` of a message would drop a byte order mark. */
export function textOf({ data }: NatsMessage): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8')
}

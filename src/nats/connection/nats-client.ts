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
  readonly info?: { readonly version: string; readonly max_payload: number; readonly jetstream?: boolean } | undefined
  publish(subject: string, payload?: string, options?: { reply?: string; headers?: never }): void
  subscribe(
    subject: string,
    options: { callback: (error: Error | null, message: unknown) => void },
  ): { unsubscribe(): void }
  request(subject: string, payload?: string, options?: { timeout: number; headers?: never }): Promise<unknown>
  flush(): Promise<void>
  status(): AsyncIterable<NatsStatus>
  isClosed(): boolean
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

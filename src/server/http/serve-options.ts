// The options of a server that listens on a port, and the handle to it. Here, without Node, because `run()` uses them too.
import type { KnownKeys } from '../../primitives/options.ts'
import { HANDLER_KEYS, type HandlerOptions } from './handler-options.ts'

export interface ServeHttpOptions extends HandlerOptions {
  /** 3000 unless given; 0 for any free port. A string of digits, as in an environment variable, works too. */
  port?: number
  /** Where to listen: `127.0.0.1` unless given, which no other machine can reach. */
  host?: string
  /** How long calls may take to finish when the server closes; 5 s unless given. */
  drainMs?: number
  /** Closes the server at SIGINT and SIGTERM; at the second signal without draining. On for `run()`, else off unless given. */
  handleSignals?: boolean
  /** Prints one line with the URL on stderr. On for `run()`, else off unless given. */
  announce?: boolean
  /** How long the headers of a request may take to arrive; 10 s unless given. */
  headersTimeoutMs?: number
  /** Concurrent connections; more are rejected. No limit unless given. */
  maxConnections?: number
}

export const SERVE_HTTP_KEYS: KnownKeys<ServeHttpOptions> = {
  ...HANDLER_KEYS,
  port: true,
  announce: 'boolean',
  host: true,
  drainMs: 'number',
  handleSignals: 'boolean',
  headersTimeoutMs: 'number',
  maxConnections: 'number',
}

/** A server that listens. */
export interface HttpServing extends AsyncDisposable {
  /** The endpoint, for `Client.connect`. */
  readonly url: string
  readonly port: number
  /** Resolves when the server has closed, for whatever reason. */
  readonly closed: Promise<void>
  /** Rejects new requests, lets others finish for `drainMs`, and frees the port. Idempotent. */
  close(options?: { drainMs?: number }): Promise<void>
}

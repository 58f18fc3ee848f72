// The options of a server that listens on a port, and the handle to it. Here, without Node, because `run()` uses them too.
import type { KnownKeys } from '../../primitives/options.ts'
import { HANDLER_KEYS, type HandlerOptions } from './handler-options.ts'

/** Options of `serveHttp()`: those of `createHandler()`, the address to listen on, and how to close. */
export interface ServeHttpOptions extends HandlerOptions {
  /** Default: 3000; 0 for any free port. A string of digits, as in an environment variable, works too. */
  port?: number | undefined
  /** Where to listen (default: `127.0.0.1`, which no other machine can reach). */
  host?: string | undefined
  /** How long calls may take to finish when the server closes (default: 5 s). */
  drainMs?: number | undefined
  /**
   * How long the server goes on after SIGTERM with `/ready` at 503, so that balancers notice before it rejects requests (default:
   * 5 s for a server with a backend, else 0). SIGINT and a second signal end it at once.
   */
  drainDelayMs?: number | undefined
  /** Closes the server at SIGINT and SIGTERM; at the second signal without draining (default: on for `run()`, else off). */
  handleSignals?: boolean | undefined
  /** Prints one line with the URL on stderr (default: on for `run()`, else off). */
  announce?: boolean | undefined
  /** How long the headers of a request may take to arrive (default: 10 s). */
  headersTimeoutMs?: number | undefined
  /** Concurrent connections; more are rejected (default: no limit). */
  maxConnections?: number | undefined
}

export const SERVE_HTTP_KEYS: KnownKeys<ServeHttpOptions> = {
  ...HANDLER_KEYS,
  port: true,
  announce: 'boolean',
  host: true,
  drainMs: 'number',
  drainDelayMs: 'number',
  handleSignals: 'boolean',
  headersTimeoutMs: 'number',
  maxConnections: 'number',
}

/** A server that listens. */
export interface HttpServing extends AsyncDisposable {
  /** The endpoint, for `Client.connect`. */
  readonly url: string
  /** The port that is open. With `port: 0` the one that the system chose. */
  readonly port: number
  /** Resolves when the server has closed, for whatever reason. */
  readonly closed: Promise<void>
  /** Rejects new requests, lets others finish for `drainMs`, and frees the port. Idempotent. */
  close(options?: { drainMs?: number }): Promise<void>
}

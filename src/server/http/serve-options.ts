// What a server that listens by itself can be told, and what it hands out: neutral, so that `run()` can speak of it.
import type { KnownKeys } from '../../primitives/options.ts'
import { HANDLER_KEYS, type HandlerOptions } from './handler-options.ts'

export interface ServeHttpOptions extends HandlerOptions {
  /** 3000 unless given; 0 takes any that is free. Decimal digits in a string, as in an environment variable, are taken as well. */
  port?: number
  /** Where to listen: `127.0.0.1` unless given, which no other machine can reach. */
  host?: string
  /** How long calls under way may take to finish when the server closes; 5 s unless given. */
  drainMs?: number
  /** Ends in good order at SIGINT and SIGTERM, and at the second one at once. On for `run()`, else off unless given. */
  handleSignals?: boolean
  /** Prints one line with the URL on stderr. On for `run()`, else off unless given. */
  announce?: boolean
  /** How long the headers of a request may take to arrive; 10 s unless given. */
  headersTimeoutMs?: number
  /** Connections at once; more are refused. No limit unless given. */
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
  /** Resolves when the server has closed, however that came about. */
  readonly closed: Promise<void>
  /** Takes no more requests, lets those under way finish for `drainMs`, and lets go of the port. Idempotent. */
  close(options?: { drainMs?: number }): Promise<void>
}

// `server.run()`: serves over stdio or HTTP.

import { platform } from '#platform'
import { rangeError, typeError } from '../primitives/help.ts'
import { checkKeys, givenOf, type KnownKeys, pickKeys } from '../primitives/options.ts'
import { type HttpServing, SERVE_HTTP_KEYS, type ServeHttpOptions } from '../server/http/serve-options.ts'
import type { Server } from '../server/server.ts'

/** Gets the server, what the program asked for, and `run`, which runs the server with the options that it is given. */
export type Runner = (
  server: object,
  asked: RunOptions,
  run: (options: RunOptions) => Promise<unknown>,
) => Promise<unknown>

/** Set by the command line, which may have loaded another copy of this package than the program. */
const RUNNER = Symbol.for('mcpwire.runner')

const place = globalThis as { [RUNNER]?: Runner }

export function findRunner(): Runner | undefined {
  return place[RUNNER]
}

/** Options of `server.run()` on stdio, where one client talks over stdin and stdout. */
export interface RunStdioOptions {
  /** Default: `stdio`. */
  transport?: 'stdio' | undefined
  /** Time for running calls to finish after the client has disconnected, in milliseconds (default: 5,000). */
  drainMs?: number | undefined
  /**
   * Keeps other output away from the protocol on stdout. `auto` (default): all output, if descriptor 1 is a pipe or a file; if it is
   * a socket, as for children of Node, only what is written to `process.stdout`. `respawn`: all output, by starting the program
   * again with its own pipe. `guard`: what is written to `process.stdout`.
   */
  isolate?: 'auto' | 'respawn' | 'guard' | undefined
  /** The longest message that is accepted from the client in bytes, one line each (default: 4 MiB). */
  maxLineBytes?: number | undefined
}

/** Closes gracefully at SIGINT and SIGTERM, unless `handleSignals` is `false`. */
export interface RunHttpOptions extends ServeHttpOptions {
  /** Serves HTTP, for clients of both eras on one endpoint. */
  transport: 'http'
}

export const RUN_STDIO_KEYS: KnownKeys<RunStdioOptions> = {
  transport: true,
  drainMs: true,
  isolate: true,
  maxLineBytes: true,
}
export const RUN_HTTP_KEYS: KnownKeys<RunHttpOptions> = { ...SERVE_HTTP_KEYS, transport: true }

/** Options of `server.run()`. The transport decides which ones apply. */
export type RunOptions = RunStdioOptions | RunHttpOptions

export type RunTransport = 'stdio' | 'http'

/**
 * The options for one transport. A conditional type instead of overloads, because compiler errors for overloads name the wrong
 * one, or all of them.
 */
export type RunOptionsOf<Transport extends RunTransport> = {
  transport?: Transport | undefined
} & (Transport extends 'http' ? RunHttpOptions : RunStdioOptions)

/** `undefined` over stdio; over HTTP the running server, with its address and `close()`. */
export type RunOutcome<Transport extends RunTransport> = Transport extends 'http' ? HttpServing : undefined

/** Over stdio it resolves when the client has disconnected, over HTTP as soon as it listens. */
export async function runServer(server: Server, options: RunOptions): Promise<unknown> {
  checkRunOptions(options)
  const run = (decided: RunOptions) => runOverTransport(server, decided)
  const runner = findRunner()
  return runner === undefined ? run(options) : runner(server, options, run)
}

/** Throws `TypeError` for unknown options, and for options of another transport. */
function checkRunOptions(options: RunOptions): void {
  if (options.transport === 'http') {
    checkKeys("run({ transport: 'http' })", options, RUN_HTTP_KEYS)
    return
  }
  const given = givenOf(options)
  const ofHttp = Object.keys(given).find(
    (key) => Object.hasOwn(RUN_HTTP_KEYS, key) && !Object.hasOwn(RUN_STDIO_KEYS, key),
  )
  if (ofHttp !== undefined)
    throw typeError('wrong-option', `The option ${ofHttp} of run() is for HTTP. Add transport: 'http'.`)
  checkKeys<RunStdioOptions>('run()', given, RUN_STDIO_KEYS)
}

async function runOverTransport(server: Server, options: RunOptions): Promise<HttpServing | undefined> {
  const { transport = 'stdio' } = options
  switch (transport) {
    case 'stdio': {
      const { drainMs, isolate, maxLineBytes } = options as RunStdioOptions
      await platform.serveStdio(server, { drainMs, isolate, maxLineBytes })
      return undefined
    }
    case 'http':
      return (await platform.serveHttp(server, {
        handleSignals: true,
        announce: true,
        ...pickKeys<ServeHttpOptions>(options, SERVE_HTTP_KEYS),
      })) as HttpServing
    default:
      throw rangeError(
        'wrong-option',
        `The option transport of run() must be 'stdio' or 'http', not ${JSON.stringify(transport)}.`,
      )
  }
}

// Where a server meets the world by itself.
import { platform } from '#platform'
import { checkKeys, type KnownKeys, pickKeys } from '../primitives/options.ts'
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

export interface RunStdioOptions {
  /** `stdio` unless given. */
  transport?: 'stdio'
  /** How long calls under way may take to finish when the client has gone; 5 s unless given. */
  drainMs?: number
  /**
   * What is kept away from the protocol on stdout. `auto`, unless given: everything, where descriptor 1 is a pipe or a file; where
   * it is a socket, as Node gives its children, whatever is written to `process.stdout`. `respawn`: everything, by starting the
   * program once more with a pipe of its own. `guard`: whatever is written to `process.stdout`.
   */
  isolate?: 'auto' | 'respawn' | 'guard'
}

/** Ends in good order at SIGINT and SIGTERM unless `handleSignals` is `false`. */
export interface RunHttpOptions extends ServeHttpOptions {
  transport: 'http'
}

export const RUN_STDIO_KEYS: KnownKeys<RunStdioOptions> = { transport: true, drainMs: true, isolate: true }
export const RUN_HTTP_KEYS: KnownKeys<RunHttpOptions> = { ...SERVE_HTTP_KEYS, transport: true }

export type RunOptions = RunStdioOptions | RunHttpOptions

export type RunTransport = 'stdio' | 'http'

/**
 * The options for one transport. One signature with this, and not an overload for each transport: of overloads the compiler
 * explains a mistake with all, or with the one that was not meant.
 */
export type RunOptionsOf<Transport extends RunTransport> = { transport?: Transport } & (Transport extends 'http'
  ? RunHttpOptions
  : RunStdioOptions)

/** Over stdio nothing; over HTTP what can be asked for its address and closed. */
export type RunOutcome<Transport extends RunTransport> = Transport extends 'http' ? HttpServing : undefined

/** Over stdio it serves until the client has gone; over HTTP it resolves once it listens. */
export async function runServer(server: Server, options: RunOptions): Promise<unknown> {
  checkRunOptions(options)
  const run = (decided: RunOptions) => runAsAsked(server, decided)
  const runner = findRunner()
  return runner === undefined ? run(options) : runner(server, options, run)
}

/** Throws `TypeError` for options that nobody knows, or that belong to another transport. */
function checkRunOptions(options: RunOptions): void {
  if (options.transport === 'http') {
    checkKeys("run({ transport: 'http' })", options, RUN_HTTP_KEYS)
    return
  }
  const ofHttp = Object.keys(options).find(
    (key) => Object.hasOwn(RUN_HTTP_KEYS, key) && !Object.hasOwn(RUN_STDIO_KEYS, key),
  )
  if (ofHttp !== undefined) throw new TypeError(`The option ${ofHttp} of run() is for HTTP. Add transport: 'http'.`)
  checkKeys('run()', options, RUN_STDIO_KEYS)
}

async function runAsAsked(server: Server, options: RunOptions): Promise<HttpServing | undefined> {
  const { transport = 'stdio' } = options
  switch (transport) {
    case 'stdio': {
      const { drainMs, isolate } = options as RunStdioOptions
      await platform.serveStdio(server, { drainMs, isolate })
      return undefined
    }
    case 'http':
      return (await platform.serveHttp(server, {
        handleSignals: true,
        announce: true,
        ...pickKeys<ServeHttpOptions>(options, SERVE_HTTP_KEYS),
      })) as HttpServing
    default:
      throw new RangeError(`transport must be 'stdio' or 'http'`)
  }
}

// Serves a server of this process over stdio or HTTP, as the options of a verb say.
import type { HttpServing } from 'mcpwire/node'
import type { RunHttpOptions } from 'mcpwire/server'
import { usageFailure } from '../../terminal/failure.ts'
import type { Output } from '../../terminal/output.ts'

export interface ServeOptions {
  http?: boolean
  port?: number
  host?: string
  path?: string
}

interface Servable {
  run(options: { transport: 'stdio' } | RunHttpOptions): Promise<unknown>
}

/** Checked before anything is opened. */
export function checkServeOptions(options: ServeOptions): void {
  if (options.http === true) return
  for (const name of ['host', 'port', 'path'] as const) {
    if (options[name] !== undefined) throw usageFailure(`--${name} needs --http.`)
  }
}

/** Resolves when the client has gone, or a signal has come. */
export async function serveUntilEnd(
  server: Servable,
  { http, host, port, path }: ServeOptions,
  output: Output,
): Promise<void> {
  if (http !== true) {
    await server.run({ transport: 'stdio' })
    return
  }
  const wanted = Object.fromEntries(Object.entries({ host, port, path }).filter(([, value]) => value !== undefined))
  const serving = (await server.run({ transport: 'http', announce: false, ...wanted })) as HttpServing
  output.note(`Listening on ${serving.url}`)
  await serving.closed
}

// Connects as every other command does, and says which step a failure belongs to.
import type { Client } from 'mcpwire'
import { ConnectError, UnsupportedProtocolVersionError } from 'mcpwire'
import { LEGACY_VERSIONS, MODERN_VERSIONS } from 'mcpwire/types'
import { explain } from '../errors/explain.ts'
import { type ConnectRequest, withClient } from '../target/connect.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output.ts'
import type { Finding, StepName } from './findings/step.ts'
import { fault, faultOf, firstLine, ok } from './findings/step.ts'

export interface Connecting {
  readonly request: ConnectRequest
  /** Lines on stdout that are not JSON-RPC, as the client quotes them. */
  readonly strayLines: string[]
}

/** Nobody is sent to a login page, and nothing is printed between the steps. */
export function prepare(request: ConnectRequest): Connecting {
  const strayLines: string[] = []
  return {
    strayLines,
    request: {
      ...request,
      output: quietly(request.output),
      options: withoutLogin(request.options),
      clientOptions: () => ({
        // Every listing and ping is really sent.
        cache: false,
        onLog: () => {},
        onFault: ({ kind, message }) => {
          if (kind === 'transport' && strayLines.length < MAX_STRAY_LINES) strayLines.push(message)
        },
      }),
    },
  }
}

const MAX_STRAY_LINES = 20

export function connectTo<T>({ request }: Connecting, use: (client: Client) => Promise<T>): Promise<T | undefined> {
  return withClient(request, use)
}

function quietly(output: Output): Output {
  return { ...output, note: output.isVerbose ? output.note : () => {}, status: () => {}, hasStatus: false }
}

function withoutLogin({ login, ...options }: ConnectionOptions): ConnectionOptions {
  return login === false ? { ...options, login } : options
}

/** The step that a failed connection belongs to. */
export function stepOf(error: unknown, isCommand: boolean): StepName {
  const { slug, exitCode } = explain(error)
  if (slug === 'version-unsupported') return 'revision'
  if (['unauthorized', 'forbidden', 'login-failed', 'scopes-missing'].includes(slug)) return 'authorization'
  // One that printed and then hung has two faults.
  if (slug === 'stdout-polluted') return exitCode === EXIT.timedOut ? 'endpoint' : 'stdout'
  if (slug === 'server-silent') return 'endpoint'
  if (!isCommand) return 'revision'
  const cause = causeOf(error)
  const hasEnded = cause?.exitCode !== undefined || cause?.signal !== undefined
  return cause?.phase === 'negotiate' && !hasEnded ? 'revision' : 'program'
}

/** The error of the connection, also where the words of `mcpwire run` stand in for it. */
export function causeOf(error: unknown): ConnectError | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    if (at instanceof ConnectError) return at
  }
  return undefined
}

export function checkRevision(client: Client): Finding {
  const { protocolVersion } = client
  const era = (MODERN_VERSIONS as readonly string[]).includes(protocolVersion) ? 'modern' : 'legacy'
  const offered = client.session.discoverResult?.supportedVersions
  const details = offered === undefined ? [] : [`The server offers ${offered.join(', ')}`]
  const { name, version } = client.serverInfo ?? { name: 'A server without a name', version: '' }
  return ok(`${protocolVersion} (${era}) with ${name} ${version}`.trimEnd(), details)
}

/** With what the server offers, where it says so. */
export function explainRevision(error: unknown, mode: string | undefined): Finding {
  const { slug, message } = explain(error)
  if (slug !== 'version-unsupported') return faultOf(error)
  const offered = findVersionError(error)?.supported ?? []
  const text = offered.length === 0 ? message : `No shared revision: the server offers ${offered.join(', ')}`
  return fault(firstLine(text), slug, {
    fix:
      mode === undefined || mode === 'auto'
        ? 'Update the older of the two: the server, or mcpwire.'
        : `Leave out --mode ${mode}.`,
    details: [`mcpwire speaks ${[...LEGACY_VERSIONS, ...MODERN_VERSIONS].join(', ')}`],
  })
}

function findVersionError(error: unknown): UnsupportedProtocolVersionError | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    if (at instanceof UnsupportedProtocolVersionError) return at
  }
  return undefined
}

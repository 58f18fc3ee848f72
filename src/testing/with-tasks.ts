// Gives a server the clock of a test.

import type { ClientExtension } from '../client/extensions/extension.ts'
import { type Clock, WITH_CLOCK } from '../primitives/async/clock.ts'
import { typeError } from '../primitives/help.ts'
import { checkKeys, describeKind, type KnownKeys } from '../primitives/options.ts'
import type { ServerCore } from '../server/core.ts'
import { findCore } from '../server/internals.ts'
import { FakeClock } from './fake-clock.ts'

/** Options of `withTasks()`. */
export interface WithTasksOptions {
  /** As `fakeClock()` creates it. */
  clock: FakeClock
}

export const WITH_TASKS_KEYS: KnownKeys<WithTasksOptions> = { clock: true }

/**
 * Lets the tasks of a server, the patience of its callers and the time limits of its tools go by the clock of a test, and so do
 * the clients that `connect()` connects to it when they wait for tasks. Call it before anything connects. Returns the server.
 *
 * @example
 * ```ts
 * import { connect, fakeClock, withTasks } from 'mcpwire/testing'
 * const clock = fakeClock()
 * const client = await connect(withTasks(server, { clock }))
 * const call = client.callTool('report')
 * await clock.advance(5_000)
 * ```
 */
export function withTasks<Server extends object>(server: Server, options: WithTasksOptions): Server {
  checkKeys('withTasks()', options, WITH_TASKS_KEYS)
  const { clock } = options
  if (!(clock instanceof FakeClock)) {
    throw typeError(
      'wrong-option',
      `The option clock of withTasks() must be a clock, not ${describeKind(clock)}. Write clock: fakeClock().`,
    )
  }
  const core = coreIn(server)
  if (core === undefined) throw typeError('wrong-option', 'withTasks() takes a Server or an MCPServer of this package.')
  core.clock = clock
  return server
}

function coreIn(server: object): ServerCore | undefined {
  return findCore(server) ?? findCore((server as { server?: object }).server ?? server)
}

type Clocked = { readonly [WITH_CLOCK]?: (clock: Clock) => ClientExtension }

/** The extensions of a client, which go by the clock of the server where that has one of a test. */
export function extensionsFor(
  server: object,
  extensions: readonly ClientExtension[] | undefined,
): { extensions?: readonly ClientExtension[] } {
  const clock = coreIn(server)?.clock
  if (extensions === undefined) return {}
  if (!(clock instanceof FakeClock) || !Array.isArray(extensions)) return { extensions }
  return { extensions: extensions.map((one: ClientExtension & Clocked) => one[WITH_CLOCK]?.(clock) ?? one) }
}

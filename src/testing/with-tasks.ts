// Gives a server the clock of a test.
import { checkKeys, describeKind, type KnownKeys } from '../primitives/options.ts'
import { findCore } from '../server/internals.ts'
import { FakeClock } from './fake-clock.ts'

export interface WithTasksOptions {
  /** As `fakeClock()` creates it. */
  clock: FakeClock
}

export const WITH_TASKS_KEYS: KnownKeys<WithTasksOptions> = { clock: true }

/**
 * Lets the tasks of a server, the patience of its callers and the time limits of its tools go by the clock of a test. Call it
 * before anything connects. Returns the server.
 */
export function withTasks<Server extends object>(server: Server, options: WithTasksOptions): Server {
  checkKeys('withTasks()', options, WITH_TASKS_KEYS)
  const { clock } = options
  if (!(clock instanceof FakeClock)) {
    throw new TypeError(
      `The option clock of withTasks() must be a clock, not ${describeKind(clock)}. Write clock: fakeClock().`,
    )
  }
  const core = findCore(server) ?? findCore((server as { server?: object }).server ?? server)
  if (core === undefined) throw new TypeError('withTasks() takes a Server or an MCPServer of this package.')
  core.clock = clock
  return server
}

// Runs a task where a job system has started its job.

import type { Claim } from '../../backend/task-store.ts'
import type { MCPServer } from '../../mcpserver/mcpserver.ts'
import { typeError } from '../../primitives/help.ts'
import { findCore } from '../../server/internals.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'

/** What `tasks()` adds to a server for this file. */
export const RUN_CLAIM: unique symbol = Symbol()

interface RunsClaims {
  readonly [RUN_CLAIM]?: (claim: Claim) => Promise<void>
}

/**
 * Runs one task that a `TaskExecutor` got: the handler, the renewals of the claim, and the result. Resolves when the run has ended, or
 * waits for an answer. A claim that is lost, and one that has been run, do nothing. `server` has the same tools and store as the one
 * that created the task.
 */
export async function runTask(server: MCPServer, claim: Claim): Promise<void> {
  const core = findCore(server.server)
  const run = (core?.extensions?.find(TASKS_EXTENSION) as RunsClaims | undefined)?.[RUN_CLAIM]
  if (core === undefined || run === undefined) {
    throw typeError(
      'extension-missing',
      "runTask() needs a server with tasks. Add tasks() from 'mcpwire/extensions/tasks' to extensions.",
    )
  }
  const lease = await core.start()
  try {
    await run(claim)
  } finally {
    await lease.release()
  }
}

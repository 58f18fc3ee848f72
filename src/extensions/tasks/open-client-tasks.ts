// Opens tasks for a client, in the dialect of the revision that was agreed on.

import type { Client } from '../../client/client.ts'
import { internalsOf } from '../../client/session/internals.ts'
import type { ClientSession } from '../../client/session/session.ts'
import type { Clock } from '../../primitives/async/clock.ts'
import { loading } from '../../primitives/loading.ts'
import type { TasksClientOptions } from '../../types/extensions/tasks.ts'
import { hasCoreTasks } from '../../wire/revision-facts.ts'
import { createExtensionTaskPort } from './client/extension-port.ts'
import { OpenTasks } from './client/open-tasks.ts'
import type { TaskPort } from './client/port.ts'

export async function openTasks(
  client: Client,
  session: ClientSession,
  options: TasksClientOptions,
  clock?: Clock,
): Promise<OpenTasks> {
  const port = await createPort(client, session)
  return new OpenTasks(client, session, { ...options, port, ...(clock !== undefined && { clock }) })
}

/** Returns `undefined` for a revision that has no tasks. */
async function createPort(client: Client, session: ClientSession): Promise<TaskPort | undefined> {
  const internals = internalsOf(session)
  if (internals.isModern) return createExtensionTaskPort(client, internals)
  if (!hasCoreTasks(internals.protocolVersion)) return undefined
  const { createCoreTaskPort } = await loading(import('./core/client-port.ts'))
  return createCoreTaskPort(session, internals.endSignal)
}

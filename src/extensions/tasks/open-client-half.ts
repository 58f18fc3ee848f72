// The client half of tasks, with the dialect of each revision.
import type { Client } from '../../client/client.ts'
import { internalsOf } from '../../client/session/internals.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { TasksClientOptions } from '../../types/extensions/tasks.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { createExtensionTaskPort } from './client/extension-port.ts'
import { OpenTasks } from './client/open-tasks.ts'
import type { TaskPort } from './client/port.ts'
import { createCoreTaskPort } from './core/client-port.ts'
import { CORE_TASKS_VERSION } from './core/task-support.ts'

export function openTasks(client: Client, options: TasksClientOptions): OpenTasks {
  return new OpenTasks(client, { ...options, createPort })
}

function createPort(client: Client): TaskPort {
  const { protocolVersion, session } = client
  if (isModernVersion(protocolVersion)) return createExtensionTaskPort(client)
  if (protocolVersion === CORE_TASKS_VERSION) return createCoreTaskPort(session, internalsOf(session).endSignal)
  const message = `Revision ${protocolVersion} has no tasks. They need a server of revision 2025-11-25 or later.`
  throw new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
}

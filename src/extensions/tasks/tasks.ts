// The tasks extension as a value: small on its own, what it does on a server and on a client is loaded when it is needed.

import type { Claim } from '../../backend/task-store.ts'
import type { Client } from '../../client/client.ts'
import type { ClientExtension } from '../../client/extensions/extension.ts'
import type { MCPServerExtension, MCPServerExtensionParts } from '../../mcpserver/extensions/extension-parts.ts'
import type { TaskPlan } from '../../mcpserver/extensions/task-plan.ts'
import type { AroundTool } from '../../mcpserver/extensions/tool-options.ts'
import { type Clock, WITH_CLOCK } from '../../primitives/async/clock.ts'
import { orderError } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import { coreOf } from '../../server/internals.ts'
import type { Server } from '../../server/server.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import { isModernVersion, MODERN_VERSIONS } from '../../types/protocol/versions.ts'
import { hasCoreTasks } from '../../wire/revision-facts.ts'
import { createClientParts } from './client-parts.ts'
import type { CoreTasks } from './core/core-tasks.ts'
import { listTaskSupport } from './core/task-support.ts'
import { checkTasksOptions, type GivenTasksOptions, type TasksOptions } from './options/tasks-options.ts'
import { RUN_CLAIM } from './run-task.ts'
import type { ServerTasks } from './server/server-tasks.ts'

/** Calls that take long become tasks. One value serves servers and clients. */
export function tasks(options: TasksOptions = {}): MCPServerExtension & ClientExtension {
  checkTasksOptions(options)
  const extension = {
    identifier: TASKS_EXTENSION,
    forServer: (server: Server) => partsOf(server, options),
    forClient: (client: Client) => createClientParts(client, options),
  }
  const withClock = (clock: Clock) => ({
    ...extension,
    forClient: (client: Client) => createClientParts(client, options, clock),
  })
  return Object.assign(extension, { [WITH_CLOCK]: withClock })
}

/** What a server has of it. The tasks outlive a stop of the server, and go on when it starts again. */
function partsOf(server: Server, options: GivenTasksOptions): MCPServerExtensionParts {
  const plans = new WeakMap<AroundTool, TaskPlan>()
  let serverTasks: ServerTasks | undefined
  let core: CoreTasks | undefined
  const loaded = (): ServerTasks => serverTasks ?? notStarted()
  const loadedCore = (): CoreTasks => core ?? notStarted()
  const runClaim = (claim: Claim) => loaded().runtime.runs.runHandedOver(claim)
  const parts: MCPServerExtensionParts = {
    isDeclared: isModernVersion,
    requests: Object.fromEntries(
      ['tasks/get', 'tasks/update', 'tasks/cancel'].map((method) => [
        method,
        {
          nameParam: 'taskId',
          protocolVersions: MODERN_VERSIONS,
          // It carries the results of tools, and a client that asks too often is told to wait.
          ...(method === 'tasks/get' && { isContent: true, isCounted: true }),
          handle: (ctx, params) => loaded().answer(method, ctx, params),
        },
      ]),
    ),
    watches: {
      taskIds: {
        grant: (ctx, ids) => loaded().watch.grant(ctx, ids),
        describe: (id, ctx) => loaded().watch.describe(id, ctx),
        findMissed: (ids) => loaded().watch.findMissed?.(ids) ?? [],
      },
    },
    resultTypes: ['task'],
    // Revision 2025-11-25 has tasks in its own specification. They mean nothing on a server without a tool for them.
    capabilities: (version, ctx) =>
      hasCoreTasks(version) && loaded().runtime.hasTools ? loadedCore().capabilities(ctx) : {},
    handlers: {
      'tasks/get': (ctx, params) => loadedCore().get(ctx, params),
      'tasks/result': (ctx, params) => loadedCore().result(ctx, params),
      'tasks/list': (ctx, params) => loadedCore().list(ctx, params),
      'tasks/cancel': (ctx, params) => loadedCore().cancel(ctx, params),
    },
    toolOptions: {
      task: (plan) => {
        const around: AroundTool = (request, params, next) => loaded().call(plan, request, params, next)
        plans.set(around, plan)
        const support = plan.mode === 'required' ? 'required' : 'optional'
        return { around, listed: (tool, era) => listTaskSupport(tool, era, support) }
      },
    },
    start: async () => {
      const [{ ServerTasks }, { CoreTasks }] = await Promise.all([
        loading(import('./server/server-tasks.ts')),
        loading(import('./core/core-tasks.ts')),
      ])
      serverTasks ??= new ServerTasks(coreOf(server), options, plans)
      if (core === undefined) {
        core = new CoreTasks(serverTasks.runtime)
        serverTasks.runtime.listen(core)
        serverTasks.addDialect(core.dialect)
      }
      return serverTasks.start()
    },
  }
  return Object.assign(parts, { [RUN_CLAIM]: runClaim })
}

function notStarted(): never {
  throw orderError('The server has not started.')
}

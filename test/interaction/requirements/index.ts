// The manifest: each behaviour with an id, where it is written down, and the settings it holds for.
import { APPS } from './apps.ts'
import { CLIENT_EXTENSIONS } from './client-extensions.ts'
import { CLIENT_TASKS } from './client-tasks.ts'
import { CORE_TASKS } from './core-tasks.ts'
import type { Requirement } from './entry.ts'
import { FEATURES } from './features.ts'
import { INTERACTION } from './interaction.ts'
import { LIFECYCLE } from './lifecycle.ts'
import { MCPSERVER } from './mcpserver.ts'
import { MIDDLEWARE } from './middleware.ts'
import { SERVER_EXTENSIONS } from './server-extensions.ts'
import { TASKS_SERVER } from './tasks-server.ts'
import { TELEMETRY } from './telemetry.ts'

const table = {
  ...LIFECYCLE,
  ...FEATURES,
  ...INTERACTION,
  ...MCPSERVER,
  ...MIDDLEWARE,
  ...SERVER_EXTENSIONS,
  ...TELEMETRY,
  ...CORE_TASKS,
  ...TASKS_SERVER,
  ...CLIENT_EXTENSIONS,
  ...APPS,
  ...CLIENT_TASKS,
}

export type RequirementId = keyof typeof table

export const requirements: Readonly<Record<RequirementId, Requirement>> = table

/** The tables by themselves, to find an id that two of them have. */
export const TABLES = [
  LIFECYCLE,
  FEATURES,
  INTERACTION,
  MCPSERVER,
  MIDDLEWARE,
  SERVER_EXTENSIONS,
  TELEMETRY,
  CORE_TASKS,
  TASKS_SERVER,
  CLIENT_EXTENSIONS,
  APPS,
  CLIENT_TASKS,
]

// Which extension of this package a method of the server or an option of a tool belongs to.
import { withHelp } from '../../primitives/help.ts'
import { APPS_EXTENSION } from '../../types/extensions/apps.ts'
import { SKILLS_EXTENSION } from '../../types/extensions/skills.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'

export interface Owner {
  readonly identifier: string
  /** What to add to the server to have it. */
  readonly add: string
}

const APPS: Owner = { identifier: APPS_EXTENSION, add: "apps() from 'mcpwire/extensions/apps'" }
const SKILLS: Owner = { identifier: SKILLS_EXTENSION, add: "skills() from 'mcpwire/extensions/skills'" }
const TASKS: Owner = { identifier: TASKS_EXTENSION, add: "tasks() from 'mcpwire/extensions/tasks'" }

export const METHOD_OWNERS = { app: APPS, skill: SKILLS }
export const TOOL_OPTION_OWNERS = { task: TASKS, ui: APPS }

export function missingExtension(what: string, { add }: Owner): TypeError {
  return withHelp(
    'extension-missing',
    new TypeError(`${what} needs an extension. Add ${add} to the option extensions of the server.`),
  )
}

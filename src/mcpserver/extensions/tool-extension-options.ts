// The options of tools that belong to extensions. `mcpwire/server` exports everything of this file by `export *`: only so can
// the code of others merge its own members into the interface.
import type { UiOption } from './app-options.ts'
import type { TaskOption } from './task-options.ts'

/**
 * The options of tools that belong to extensions. The author of an extension declares its own in
 * `declare module 'mcpwire/server' { interface ToolExtensionOptions { … } }` and reads them with `toolOptions` of the extension.
 */
export interface ToolExtensionOptions {
  /** When a call becomes a task. Needs `tasks()` from `mcpwire/extensions/tasks` among the extensions of the server. */
  task?: TaskOption | undefined
  /** The view of the tool. Needs `apps()` from `mcpwire/extensions/apps` among the extensions of the server. */
  ui?: UiOption | undefined
}

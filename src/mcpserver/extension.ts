// Extensions as the friendly server takes them: with tools, resources and prompts of their own.
import type { ServerExtension } from '../server/extension.ts'
import type { PromptDefinition } from './prompt.ts'
import type { AnyResourceDefinition } from './resource.ts'
import type { ToolDefinition } from './tool.ts'

/** What it registers belongs to the server like everything else, and is offered to those who can see it. */
export interface MCPServerExtension extends ServerExtension {
  readonly tools?: readonly ToolDefinition[]
  readonly resources?: readonly AnyResourceDefinition[]
  readonly prompts?: readonly PromptDefinition[]
}

// What an extension adds to an `MCPServer`, and the one place where the server asks its extensions for their methods.
import type { ServerExtension, ServerExtensionParts } from '../../server/extensions/extension.ts'
import type { ExtensionSet } from '../../server/extensions/extension-set.ts'
import type { Server } from '../../server/server.ts'
import type { SkillSource } from '../../types/extensions/skills.ts'
import type { MCPServer } from '../mcpserver.ts'
import type { PromptDefinition } from '../prompts/prompt.ts'
import type { AnyResourceDefinition } from '../resources/resource.ts'
import type { ToolDefinition } from '../tools/tool.ts'
import type { AppHandle, AppOptions } from './app-options.ts'
import { METHOD_OWNERS, missingExtension } from './owners.ts'
import type { DynamicSkillOptions, SkillHandle, SkillOptions } from './skill-options.ts'
import type { ToolOptionReaders } from './tool-options.ts'

/** What an extension adds to an `MCPServer`, beyond what it adds to every server. */
export interface MCPServerExtensionParts extends ServerExtensionParts {
  /** What `server.app()` does. */
  readonly app?: (server: MCPServer, uri: string, options: AppOptions) => AppHandle
  /** What `server.skill()` does. */
  readonly skill?: (
    server: MCPServer,
    source: SkillSource | string,
    options: SkillOptions | DynamicSkillOptions,
  ) => SkillHandle
  /** The options of tools that belong to the extension. */
  readonly toolOptions?: ToolOptionReaders
}

/** An extension that also adds tools, resources and prompts. */
export interface MCPServerExtension extends MCPServerExtensionParts, Omit<ServerExtension, 'forServer'> {
  /** Tools that the extension adds (default: none). */
  readonly tools?: readonly ToolDefinition[]
  /** Resources that the extension adds (default: none). */
  readonly resources?: readonly AnyResourceDefinition[]
  /** Prompts that the extension adds (default: none). */
  readonly prompts?: readonly PromptDefinition[]
  /** As in `ServerExtension`. */
  readonly forServer?: (server: Server) => MCPServerExtensionParts
}

/** What an extension has for a method of the server. Throws `TypeError` that names the extension to add. */
export function askExtension<Member extends 'app' | 'skill'>(
  extensions: ExtensionSet | undefined,
  member: Member,
): NonNullable<MCPServerExtensionParts[Member]> {
  const owner = METHOD_OWNERS[member]
  const parts: MCPServerExtensionParts | undefined = extensions?.find(owner.identifier)
  const found = parts?.[member]
  if (found === undefined) throw missingExtension(`server.${member}()`, owner)
  return found
}

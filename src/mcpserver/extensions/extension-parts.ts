// What an extension adds to an `MCPServer`, and the one place where the server asks its extensions for it.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ServerExtension, ServerExtensionParts } from '../../server/extensions/extension.ts'
import type { ExtensionSet } from '../../server/extensions/extension-set.ts'
import type { Server } from '../../server/server.ts'
import { APPS_EXTENSION } from '../../types/extensions/apps.ts'
import { SKILLS_EXTENSION, type SkillSource } from '../../types/extensions/skills.ts'
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { CallToolRequestParams, Tool, ToolAnnotations } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { MCPServer } from '../mcpserver.ts'
import type { PromptDefinition } from '../prompts/prompt.ts'
import type { AnyResourceDefinition } from '../resources/resource.ts'
import type { ToolDefinition } from '../tools/tool.ts'
import type { AppHandle, AppOptions, UiOption } from './app-options.ts'
import type { DynamicSkillOptions, SkillHandle, SkillOptions } from './skill-options.ts'
import type { TaskOption } from './task-options.ts'

/** A tool that is being registered or updated, for the extension that an option of it belongs to. */
export interface ToolFacts {
  readonly name: string
  /** `tool "add"`, for messages. */
  readonly owner: string
  readonly annotations: ToolAnnotations | undefined
  /** Whether it is registered as it was read: not before, and no longer once it is removed, replaced or updated. */
  isRegistered(): boolean
}

/** What an option of an extension does to the tool. */
export interface ToolOptionEffect {
  /** What lists show of the tool, to clients of an era. */
  readonly listed?: (tool: Tool, era: 'legacy' | 'modern') => Tool
  /** Runs around each call of the tool. */
  readonly around?: AroundTool
}

/**
 * Runs around the calls of one tool, once a call has passed all checks and interceptors. `next` runs the tool, with another
 * context of the message where one is given, and returns synchronously where the handler does.
 */
export type AroundTool = (
  request: ServerRequestContext,
  params: CallToolRequestParams,
  next: (request?: ServerRequestContext) => MaybePromise<JSONObject>,
) => MaybePromise<JSONObject>

/** Reads an option of a tool. Throws `TypeError` or `RangeError` for a value that cannot work. */
export type ToolOptionReader<Value> = (value: Value, tool: ToolFacts) => ToolOptionEffect | undefined

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
  readonly toolOptions?: {
    readonly task?: ToolOptionReader<TaskOption>
    readonly ui?: ToolOptionReader<UiOption>
  }
}

/** An extension that also adds tools, resources and prompts. */
export interface MCPServerExtension extends MCPServerExtensionParts, Omit<ServerExtension, 'forServer'> {
  readonly tools?: readonly ToolDefinition[]
  readonly resources?: readonly AnyResourceDefinition[]
  readonly prompts?: readonly PromptDefinition[]
  /** As in `ServerExtension`. */
  readonly forServer?: (server: Server) => MCPServerExtensionParts
}

const APPS = { identifier: APPS_EXTENSION, add: "apps() from 'mcpwire/extensions/apps'" }
const SKILLS = { identifier: SKILLS_EXTENSION, add: "skills() from 'mcpwire/extensions/skills'" }
const TASKS = { identifier: TASKS_EXTENSION, add: "tasks() from 'mcpwire/extensions/tasks'" }

/** Whom each member belongs to. */
const OWNERS = { app: APPS, skill: SKILLS, ui: APPS, task: TASKS }

/** What an extension has for a method of the server. Throws `TypeError` that names the extension to add. */
export function askExtension<Member extends 'app' | 'skill'>(
  extensions: ExtensionSet | undefined,
  member: Member,
): NonNullable<MCPServerExtensionParts[Member]> {
  const found = partsOf(extensions, member)?.[member]
  if (found === undefined) throw missing(`server.${member}()`, member)
  return found
}

/** What the options of extensions do to a tool. Throws `TypeError` for an option whose extension is not there. */
export function readExtensionOptions(
  extensions: ExtensionSet | undefined,
  given: { readonly task?: TaskOption; readonly ui?: UiOption },
  tool: ToolFacts,
): readonly ToolOptionEffect[] {
  const { task, ui } = given
  if (ui === undefined && (task === undefined || task === false)) return NOTHING
  return [
    task !== undefined && task !== false && readOption(extensions, 'task', task, tool),
    ui !== undefined && readOption(extensions, 'ui', ui, tool),
  ].filter((effect) => typeof effect === 'object')
}

const NOTHING: readonly ToolOptionEffect[] = []

function readOption<Option extends 'task' | 'ui'>(
  extensions: ExtensionSet | undefined,
  option: Option,
  value: unknown,
  tool: ToolFacts,
): ToolOptionEffect | undefined {
  const read = partsOf(extensions, option)?.toolOptions?.[option] as ToolOptionReader<unknown> | undefined
  if (read === undefined) throw missing(`The option ${option} of ${tool.owner}`, option)
  return read(value, tool)
}

function partsOf(
  extensions: ExtensionSet | undefined,
  member: keyof typeof OWNERS,
): MCPServerExtensionParts | undefined {
  return extensions?.find(OWNERS[member].identifier)
}

function missing(what: string, member: keyof typeof OWNERS): TypeError {
  return new TypeError(`${what} needs an extension. Add ${OWNERS[member].add} to the option extensions of the server.`)
}

// The options of tools that belong to the extensions of a server: which extension has which, and what they do to a tool.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ExtensionSet } from '../../server/extensions/extension-set.ts'
import type { CallToolRequestParams, Tool, ToolAnnotations } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { missingExtension, type Owner, TOOL_OPTION_OWNERS } from './owners.ts'
import type { TaskOption } from './task-options.ts'
import { planTask, type TaskPlan } from './task-plan.ts'
import type { ToolExtensionOptions } from './tool-extension-options.ts'

/** A tool that is being registered or updated, for the extension that an option of it belongs to. */
export interface ToolFacts {
  /** The name of the tool. */
  readonly name: string
  /** `tool "add"`, for messages. */
  readonly owner: string
  /** The hints of the tool, such as `readOnlyHint`. `undefined` if it has none. */
  readonly annotations: ToolAnnotations | undefined
  /** Whether it is registered as it was read: not before, and no longer once it is removed, replaced or updated. */
  isRegistered(): boolean
}

/** What an option of an extension does to the tool. */
export interface ToolOptionEffect {
  /** What lists show of the tool, to clients of an era. */
  readonly listed?: (tool: Tool, era: 'legacy' | 'modern') => Tool
  /** Whether lists show the tool to this client (default: to all). Who knows its name can call it in any case. */
  readonly isListedTo?: (request: ServerRequestContext) => boolean
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

/** What reads each option of tools that belongs to an extension. The option `task` has been checked by the server. */
export type ToolOptionReaders = {
  readonly [Key in keyof ToolExtensionOptions]?: ToolOptionReader<
    Key extends 'task' ? TaskPlan : NonNullable<ToolExtensionOptions[Key]>
  >
}

interface OwnedOption {
  readonly identifier: string
  readonly read: ToolOptionReader<unknown>
}

/** The options of tools that the extensions of one server have. */
export class OwnedToolOptions {
  /** In the order of the extensions. */
  readonly #options = new Map<string, OwnedOption>()

  /** Throws `TypeError` for an option that is taken: by another extension, or by `reserved`, the names that every tool has. */
  constructor(extensions: ExtensionSet | undefined, reserved: object) {
    for (const extension of extensions?.all ?? []) {
      const { identifier } = extension
      const { toolOptions } = extension as { toolOptions?: unknown }
      if (toolOptions === undefined) continue
      if (!isPlainObject(toolOptions)) {
        throw typeError(
          'bad-extension',
          `toolOptions of the extension '${identifier}' must be an object, by the names of options`,
        )
      }
      for (const [key, read] of Object.entries(toolOptions)) {
        if (read !== undefined) this.#add(key, { identifier, read: read as OwnedOption['read'] }, reserved)
      }
    }
  }

  /** As the check of options wants them. */
  get keys(): Readonly<Record<string, true>> {
    return Object.fromEntries([...this.#options.keys()].map((key) => [key, true]))
  }

  /** Whether an extension of the server has this option. */
  has(key: string): boolean {
    return this.#options.has(key)
  }

  /** What the options do to a tool. Throws `TypeError` for `task` and `ui` where their extension is not there. */
  read(options: object, tool: ToolFacts): readonly ToolOptionEffect[] {
    for (const [key, owner] of Object.entries(TOOL_OPTION_OWNERS)) {
      if (isGiven(key, ownMember(options, key)) && !this.#options.has(key)) {
        throw missingExtension(`The option ${key} of ${tool.owner}`, owner)
      }
    }
    if (this.#options.size === 0) return NO_EFFECTS
    const effects: ToolOptionEffect[] = []
    for (const [key, { read }] of this.#options) {
      const value = ownMember(options, key)
      if (!isGiven(key, value)) continue
      const effect = read(
        key === 'task' ? planTask(tool.owner, value as Exclude<TaskOption, false>, tool.annotations) : value,
        tool,
      )
      if (effect !== undefined) effects.push(effect)
    }
    return effects
  }

  #add(key: string, option: OwnedOption, reserved: object): void {
    const { identifier, read } = option
    const what = `The tool option '${key}'`
    const builtIn = ownMember(TOOL_OPTION_OWNERS, key) as Owner | undefined
    if (builtIn !== undefined && builtIn.identifier !== identifier) {
      throw typeError('bad-extension', `${what} belongs to '${builtIn.identifier}' and is not for '${identifier}'`)
    }
    if (builtIn === undefined && Object.hasOwn(reserved, key)) {
      throw typeError(
        'bad-extension',
        `${what} belongs to every tool and is not for '${identifier}'. Choose another name.`,
      )
    }
    if (key === '') throw typeError('bad-extension', `The extension '${identifier}' has a tool option without a name`)
    if (typeof read !== 'function') {
      throw typeError('bad-extension', `${what} of the extension '${identifier}' has no function that reads it`)
    }
    const taken = this.#options.get(key)
    if (taken !== undefined)
      throw typeError('bad-extension', `Both '${taken.identifier}' and '${identifier}' have the tool option '${key}'`)
    this.#options.set(key, option)
  }
}

const NO_EFFECTS: readonly ToolOptionEffect[] = []

/** A tool with `task: false` is an ordinary one, with and without tasks. */
function isGiven(key: string, value: unknown): boolean {
  return value !== undefined && !(key === 'task' && value === false)
}

/** Several as one: the first is the outermost. */
export function nest(arounds: readonly AroundTool[]): AroundTool | undefined {
  const [outer, ...others] = arounds
  const inner = others.length === 0 ? undefined : nest(others)
  if (outer === undefined || inner === undefined) return outer
  return (request, params, next) =>
    outer(request, params, (given = request) => inner(given, params, (deeper = given) => next(deeper)))
}

// Prompts as authors define them, and their compiled form in the registry.
import { rangeError } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { JSONSchemaObject } from '../../schema/json-schema.ts'
import type { Prompt, PromptArgument } from '../../types/features/prompts.ts'
import type { MetaObject } from '../../types/protocol/meta.ts'
import type { Icon } from '../../types/protocol/metadata.ts'
import type { Context } from '../handlers/context.ts'
import { checkHandler, optionsAndHandler, readPromptOptions } from '../handlers/definition-options.ts'
import type { Host } from '../handlers/host.ts'
import { type Access, type CompiledAccess, compileAccess } from '../lists/access.ts'
import type { Handle } from '../lists/registry.ts'
import type { HandlerArguments, NoMap, Schema, Standard } from '../tools/typed.ts'
import { type ArgumentPlan, nameOwner, planArguments } from '../values/arguments.ts'
import { checkPromptName } from '../values/definition-checks.ts'
import { checkListed } from '../values/listed.ts'
import { freezeJSON } from '../values/plain-json.ts'
import { type Completer, type Completers, completersIn } from './completion.ts'

/** Options of `server.prompt()` and `prompt()`. */
export interface PromptOptions<Input extends Schema | undefined = Schema | undefined, Life = unknown>
  extends Access<Life> {
  /** A name for people. Hosts show it in place of the prompt's name. */
  title?: string | undefined
  /** What the prompt is for. Hosts show it to the user. */
  description?: string | undefined
  /** The schema of the arguments. They arrive as strings; where the schema expects another type, the string is parsed as JSON. */
  input?: (Input & (Standard | NoMap<Input>)) | undefined
  /**
   * The old name of `input`.
   * @deprecated Use `input`.
   */
  inputSchema?: (Input & (Standard | NoMap<Input>)) | undefined
  /** The JSON Schema of an `input` from a library that has none. */
  inputJsonSchema?: JSONSchemaObject | undefined
  /** Icons that hosts can show beside the prompt. */
  icons?: Icon[] | undefined
  /** The `_meta` of the prompt in lists, for your own values. */
  meta?: MetaObject | undefined
  /** Completers by argument name. */
  complete?: Completers<Life> | undefined
}

/**
 * Returns the messages: a string or content block becomes a message of the user, a message may have a string as its content, a
 * list is several of these, and a whole `GetPromptResult` is sent as it is.
 */
export type PromptHandler<Input extends Schema | undefined, Life = unknown> = (
  args: HandlerArguments<Input>,
  ctx: Context<Life>,
) => unknown

/** A prompt as a value. */
export interface PromptDefinition {
  /** The name that clients pass to `getPrompt()`. */
  readonly name: string
  /** The options that `prompt()` got. */
  readonly options: PromptOptions
  /** The handler that `prompt()` got. */
  readonly run: (args: never, ctx: Context<never>) => unknown
}

/** The options that `PromptHandle.update` can change. */
export type PromptChanges<Input extends Schema | undefined = Schema | undefined, Life = unknown> = Partial<
  PromptOptions<Input, Life>
> & { run?: PromptHandler<Input, Life> }

/** Returned by `server.prompt()`: changes, disables or removes the prompt. */
export interface PromptHandle<Input extends Schema | undefined = Schema | undefined, Life = unknown>
  extends Omit<Handle<never>, 'update'> {
  update(changes: PromptChanges<Input, Life>): void
  /** A new schema needs a new `run` that fits it. */
  update<const NewInput extends Schema | undefined = Input>(
    changes: PromptChanges<NewInput, Life> & { run: PromptHandler<NewInput, Life> },
  ): void
}

/**
 * Defines a prompt as a value, without registering it.
 *
 * @example
 * ```ts
 * import { MCPServer, prompt } from 'mcpwire'
 * import { z } from 'zod'
 * const input = z.object({ code: z.string() })
 * const review = prompt('review', { input }, ({ code }) => `Review this code:\n${code}`)
 * const server = new MCPServer('reviews', { prompts: [review] })
 * ```
 */
export function prompt<Life = unknown>(name: string, run: PromptHandler<undefined, Life>): PromptDefinition
export function prompt<const Input extends Schema | undefined = undefined, Life = unknown>(
  name: string,
  options: PromptOptions<Input, Life>,
  run: PromptHandler<Input, Life>,
): PromptDefinition
export function prompt(name: string, options: object, run?: unknown): PromptDefinition {
  const parts = optionsAndHandler<PromptDefinition>(options, run)
  readPromptOptions(name, parts.options)
  return { name, ...parts }
}

/** What the registry holds: everything that `prompts/get` and lists need, prepared at registration. */
export interface CompiledPrompt {
  readonly name: string
  /** `prompt "review"`, for messages. */
  readonly owner: string
  readonly listed: Prompt
  readonly input: ArgumentPlan
  readonly argumentNames: ReadonlySet<string>
  readonly completers: ReadonlyMap<string, Completer>
  readonly access: CompiledAccess
  readonly run: (args: unknown, ctx: Context) => unknown
}

/** Options and handler together, as `update` changes them. */
export type PromptParts = PromptOptions & Pick<PromptDefinition, 'run'>

export function compilePrompt(host: Host, name: string, parts: PromptParts): CompiledPrompt {
  checkPromptName(name)
  const owner = nameOwner('prompt', name)
  checkHandler(owner, parts.run)
  const input = planArguments(host, {
    owner,
    schema: parts.input,
    jsonSchema: parts.inputJsonSchema,
    repairs: ['object', 'array', 'number', 'boolean'],
  })
  const args = listArguments(input.jsonSchema)
  const argumentNames = new Set(args.map((argument) => argument.name))
  return {
    name,
    owner,
    listed: listPrompt(name, owner, parts, args),
    input,
    argumentNames,
    completers: gatherCompleters(owner, parts, argumentNames),
    access: compileAccess(owner, parts),
    run: parts.run as CompiledPrompt['run'],
  }
}

function listPrompt(name: string, owner: string, parts: PromptParts, args: PromptArgument[]): Prompt {
  const { title, description, icons, meta } = parts
  const members = { name, title, description, arguments: args.length === 0 ? undefined : args, icons, _meta: meta }
  const listed = freezeJSON(members) as Prompt
  checkListed(owner, 'Prompt', listed)
  return listed
}

/** The properties of the schema, in order. */
function listArguments(schema: JSONSchemaObject): PromptArgument[] {
  const properties = ownMember(schema, 'properties')
  const required = ownMember(schema, 'required')
  if (!isPlainObject(properties)) return []
  return Object.entries(properties).map(([name, property]) => {
    const title = ownMember(property, 'title')
    const description = ownMember(property, 'description')
    return {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      required: Array.isArray(required) && required.includes(name),
    }
  })
}

function gatherCompleters(
  owner: string,
  { input, complete = {} }: PromptParts,
  argumentNames: ReadonlySet<string>,
): Map<string, Completer> {
  for (const name of Object.keys(complete)) {
    if (!argumentNames.has(name))
      throw rangeError('bad-definition', `The ${owner} has no argument ${JSON.stringify(name)} to complete.`)
  }
  return new Map([...completersIn(input), ...Object.entries(complete)])
}

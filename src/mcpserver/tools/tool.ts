// Tools as authors define them, and their compiled form in the registry.
import { rangeError } from '../../primitives/help.ts'
import { checkLimit } from '../../primitives/options.ts'
import { type JSONSchemaObject, quote } from '../../schema/json-schema.ts'
import { ToolError } from '../../types/errors/failures.ts'
import type { Tool, ToolAnnotations } from '../../types/features/tools.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { MetaObject } from '../../types/protocol/meta.ts'
import type { Icon } from '../../types/protocol/metadata.ts'
import { isComponentVersion, VERSION_META_KEY } from '../../wire/component-versions.ts'
import { type HeaderAnnotation, readHeaderAnnotations } from '../../wire/headers/header-annotations.ts'
import type { ToolExtensionOptions } from '../extensions/tool-extension-options.ts'
import { type AroundTool, nest, type ToolOptionEffect } from '../extensions/tool-options.ts'
import type { Context } from '../handlers/context.ts'
import { checkHandler, optionsAndHandler, readToolOptions } from '../handlers/definition-options.ts'
import type { Host } from '../handlers/host.ts'
import type { TimeLimit } from '../handlers/run-handler.ts'
import { type Access, type CompiledAccess, compileAccess } from '../lists/access.ts'
import type { Handle } from '../lists/registry.ts'
import { type ArgumentPlan, nameOwner, planArguments, resolveFor } from '../values/arguments.ts'
import { checkToolName, findMirroredSecret } from '../values/definition-checks.ts'
import { type ByStructure, checkListed, checkRequires } from '../values/listed.ts'
import { freezeJSON } from '../values/plain-json.ts'
import { type OutputPlan, planOutput } from './output.ts'
import type {
  AnythingWithout,
  CallerArguments,
  DescribesTool,
  HandlerArguments,
  HandlerValue,
  NoArguments,
  NoMap,
  Returned,
  Schema,
  Standard,
  StructuredResult,
} from './typed.ts'

/** Options of `server.tool()` and `tool()`: schemas, texts for the model, limits, and which callers it serves. */
export interface ToolOptions<
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
  Life = unknown,
> extends Access<Life>,
    ToolExtensionOptions {
  /** A name for people. Hosts show it in place of the tool's name. */
  title?: string | undefined
  /** What the tool does and when to use it, for the model. */
  description?: string | undefined
  /** The schema of the arguments: a Standard Schema with a JSON Schema, or a JSON Schema (default: no arguments). */
  input?: (Input & (Standard | NoMap<Input>)) | undefined
  /** The schema of what the tool returns. Values are validated before they are sent. */
  output?: (Output & (Standard | NoMap<Output>)) | undefined
  /**
   * The old name of `input`.
   * @deprecated Use `input`.
   */
  inputSchema?: (Input & (Standard | NoMap<Input>)) | undefined
  /**
   * The old name of `output`.
   * @deprecated Use `output`.
   */
  outputSchema?: (Output & (Standard | NoMap<Output>)) | undefined
  /** The JSON Schema of an `input` from a library that has none. */
  inputJsonSchema?: JSONSchemaObject | undefined
  /** The JSON Schema of an `output` from a library that has none. */
  outputJsonSchema?: JSONSchemaObject | undefined
  /** Hints for hosts, such as `readOnlyHint` and `destructiveHint`. They don't restrict anything. */
  annotations?: ToolAnnotations | undefined
  /** Icons that hosts can show beside the tool. */
  icons?: Icon[] | undefined
  /** The `_meta` of the tool in lists, for your own values. */
  meta?: MetaObject | undefined
  /** Maximum time for a call in milliseconds, without the time that a user takes to answer (default: no limit). */
  timeoutMs?: number | undefined
  /** Capabilities that the client must declare. A call without them fails before the tool runs. */
  requires?: ClientCapabilities | undefined
  /**
   * The version of the tool, such as `'2'` or `'1.4.0'`. Several versions may have one name: clients see the highest, and `version()`
   * of `mcpwire/transforms` chooses another one. It is listed as `_meta['mcpwire/version']`, and a call may name it there.
   */
  version?: string | undefined
}

/** The function of a tool. What it returns becomes the result; a thrown `ToolError` goes to the model, other errors to the log. */
export type ToolHandler<Input extends Schema | undefined, Output extends Schema | undefined, Life = unknown> = (
  args: HandlerArguments<Input>,
  ctx: Context<Life>,
) => HandlerValue<Output> | Promise<HandlerValue<Output>>

/**
 * A `ToolHandler` that is written at the call of `tool()`: its return type is inferred. A `const` type parameter there keeps
 * literals, which the compiler widens while it still infers `Output`.
 */
export type InlineToolHandler<Input extends Schema | undefined, Output, Value, Life = unknown> = (
  args: HandlerArguments<Input>,
  ctx: Context<Life>,
) => Returned<Value> | AnythingWithout<Output>

/** A tool as a value. Given to the constructor of a server, it is part of the server's type. */
export interface ToolDefinition<Name extends string = string, Arguments extends object = object, Result = unknown>
  extends DescribesTool<Name, Arguments, Result> {
  /** The options that `tool()` got. */
  readonly options: ToolOptions
  /** The handler that `tool()` got. */
  readonly run: (args: never, ctx: Context<never>) => unknown
}

/** The options that `ToolHandle.update` can change. */
export type ToolChanges<
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
  Life = unknown,
> = Partial<ToolOptions<Input, Output, Life>> & { run?: ToolHandler<Input, Output, Life> }

/** Returned by `server.tool()`: changes, disables or removes the tool. */
export interface ToolHandle<
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
  Life = unknown,
> extends Omit<Handle<never>, 'update'> {
  /** A new schema needs a new `run` that fits it. */
  update<
    const NewInput extends Schema | undefined = Input,
    const NewOutput extends Schema | undefined = Output,
    const Value extends HandlerValue<NewOutput> = HandlerValue<NewOutput>,
  >(
    changes: Partial<ToolOptions<NewInput, NewOutput, Life>> & {
      run: InlineToolHandler<NewInput, NewOutput, Value, Life>
    },
  ): void
  update(changes: ToolChanges<Input, Output, Life>): void
}

/**
 * Defines a tool as a value, without registering it.
 *
 * @example
 * ```ts
 * import { MCPServer, tool } from 'mcpwire'
 * import { z } from 'zod'
 * const input = z.object({ name: z.string() })
 * const greet = tool('greet', { input }, ({ name }) => `Hello, ${name}!`)
 * const server = new MCPServer('greeter', { tools: [greet] })
 * ```
 */
export function tool<const Name extends string, Life = unknown>(
  name: Name,
  run: ToolHandler<undefined, undefined, Life>,
): ToolDefinition<Name, NoArguments>
export function tool<
  const Name extends string,
  const Input extends Schema | undefined = undefined,
  const Output extends Schema | undefined = undefined,
  Life = unknown,
  const Value extends HandlerValue<Output> = HandlerValue<Output>,
>(
  name: Name,
  options: ToolOptions<Input, Output, Life>,
  run: InlineToolHandler<Input, Output, Value, Life>,
): ToolDefinition<Name, CallerArguments<Input>, StructuredResult<Output>>
export function tool(name: string, options: object, run?: unknown): ToolDefinition {
  const parts = optionsAndHandler<ToolDefinition>(options, run)
  readToolOptions(name, parts.options)
  checkHandler(nameOwner('tool', name), parts.run)
  return { name, ...parts }
}

/** What the registry holds: everything that calls and lists need, prepared at registration. */
export interface CompiledTool {
  readonly name: string
  /** `tool "add"`, for messages. */
  readonly owner: string
  readonly listed: ByStructure<Tool>
  readonly input: ArgumentPlan
  /** Arguments that clients repeat in HTTP headers. */
  readonly mirrored: readonly HeaderAnnotation[]
  readonly output: OutputPlan | undefined
  readonly access: CompiledAccess
  readonly limit: TimeLimit | undefined
  readonly requires: ClientCapabilities | undefined
  readonly version: string | undefined
  /** Whether its calls may become tasks. */
  readonly isTask: boolean
  /** What each extension runs around a call, the outermost first, and all of it as one. */
  readonly arounds: readonly AroundTool[]
  readonly around: AroundTool | undefined
  readonly run: (args: unknown, ctx: Context) => unknown
}

/** Options and handler together, as `update` changes them. */
export type ToolParts = ToolOptions & Pick<ToolDefinition, 'run'>

/** Checks the definition and prepares it. Throws for everything that is wrong with a tool. `isRegistered` is asked later. */
export function compileTool(
  host: Host,
  name: string,
  parts: ToolParts,
  isRegistered: (tool: CompiledTool) => boolean,
): CompiledTool {
  checkToolName(name)
  const owner = nameOwner('tool', name)
  let compiled: CompiledTool | undefined
  const { requires } = parts
  checkHandler(owner, parts.run)
  const input = planArguments(host, {
    owner,
    schema: parts.input,
    jsonSchema: parts.inputJsonSchema,
    repairs: ['object', 'array'],
  })
  const mirrored = planMirroring(host, owner, input)
  const output = planToolOutput(host, owner, parts)
  checkRequires(owner, requires)
  checkVersion(owner, parts)
  const effects = host.toolOptions.read(parts, {
    name,
    owner,
    annotations: parts.annotations,
    isRegistered: () => compiled !== undefined && isRegistered(compiled),
  })
  const arounds = effects.flatMap(({ around }) => around ?? [])
  compiled = {
    name,
    owner,
    listed: listTool(name, owner, parts, input, output, effects),
    input,
    mirrored,
    output,
    access: { ...compileAccess(owner, parts), isListedTo: listedToAll(effects) },
    limit: readTimeLimit(owner, parts.timeoutMs),
    requires,
    version: parts.version,
    isTask: parts.task !== undefined && parts.task !== false,
    arounds,
    around: nest(arounds),
    run: parts.run as CompiledTool['run'],
  }
  return compiled
}

/** Whether no effect hides the tool from lists; `undefined` where none could. */
function listedToAll(effects: readonly ToolOptionEffect[]): CompiledAccess['isListedTo'] {
  const rules = effects.flatMap(({ isListedTo }) => isListedTo ?? [])
  return rules.length === 0 ? undefined : (request) => rules.every((isListedTo) => isListedTo(request))
}

/** Spec, Tools: invalid annotations make a tool unusable over HTTP, and secrets should not be annotated. */
function planMirroring({ server }: Host, owner: string, { jsonSchema }: ArgumentPlan): readonly HeaderAnnotation[] {
  const reading = readHeaderAnnotations(jsonSchema)
  if (!reading.ok)
    throw rangeError('bad-definition', `The input of ${owner} cannot be mirrored in headers: ${reading.reason}`)
  const secret = findMirroredSecret(reading.annotations)
  if (secret === undefined) return reading.annotations
  const message =
    `The argument ${quote(secret)} of ${owner} looks like a secret or personal data, and its x-mcp-header annotation ` +
    'puts it into HTTP headers, which proxies and logs can read. Remove the annotation.'
  server.faults.report({ kind: 'configuration-warning', message })
  return reading.annotations
}

function readTimeLimit(owner: string, timeoutMs: number | undefined): TimeLimit | undefined {
  if (timeoutMs === undefined) return undefined
  checkLimit(`timeoutMs of ${owner}`, timeoutMs)
  return { timeoutMs, createError: () => new ToolError(`The ${owner} did not finish within ${timeoutMs} ms`) }
}

function checkVersion(owner: string, { version, task }: ToolParts): void {
  if (version === undefined) return
  if (!isComponentVersion(version)) {
    const given = typeof version === 'string' ? quote(version) : String(version)
    throw rangeError('wrong-option', `The version of ${owner} must be text such as '2' or '1.4.0', not ${given}.`)
  }
  // A task is found again by the name of its tool alone.
  if (task === undefined || task === false) return
  throw rangeError(
    'wrong-option',
    `The ${owner} has the options version and task, which don't go together. Leave one of them out.`,
  )
}

function planToolOutput(host: Host, owner: string, { output, outputJsonSchema }: ToolParts): OutputPlan | undefined {
  if (output === undefined) return undefined
  return planOutput(resolveFor(host, `the output of ${owner}`, output, 'output', outputJsonSchema))
}

function listTool(
  name: string,
  owner: string,
  parts: ToolParts,
  input: ArgumentPlan,
  output: OutputPlan | undefined,
  effects: readonly ToolOptionEffect[],
): ByStructure<Tool> {
  const { title, description, annotations, icons, meta, version } = parts
  const plain: Tool = {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: input.jsonSchema,
    ...(annotations !== undefined && { annotations: freezeJSON(annotations) }),
    ...(icons !== undefined && { icons: freezeJSON(icons) }),
    ...((meta ?? version) !== undefined && { _meta: freezeJSON(listedMeta(meta, version)) }),
  }
  const withOutput = (outputSchema: Tool['outputSchema']) => ({ ...plain, outputSchema }) as Tool
  const anything = output === undefined ? plain : withOutput(output.listed.anything)
  const objects = output === undefined ? anything : withOutput(output.listed.objects)
  const listed = withEffects(objects, anything, effects)
  checkListed(owner, 'Tool', listed.anything)
  return listed
}

function listedMeta(meta: MetaObject | undefined, version: string | undefined): MetaObject {
  return version === undefined ? (meta ?? {}) : { ...meta, [VERSION_META_KEY]: version }
}

/** What is listed to legacy clients, where structured output is objects only, and to modern ones. */
function withEffects(objects: Tool, anything: Tool, effects: readonly ToolOptionEffect[]): ByStructure<Tool> {
  if (effects.length === 0) return { objects: Object.freeze(objects), anything: Object.freeze(anything) }
  const apply = (tool: Tool, era: 'legacy' | 'modern') =>
    Object.freeze(effects.reduce((shown, { listed }) => listed?.(shown, era) ?? shown, tool))
  return { objects: apply(objects, 'legacy'), anything: apply(anything, 'modern') }
}

// Reads the options of tools, prompts and resources: rejects unknown ones, and accepts older names.
import { withHelp } from '../../primitives/help.ts'
import { checkKeys, checkKind, checkObject, type KeyAdvice, type KnownKeys } from '../../primitives/options.ts'
import type { ToolExtensionOptions } from '../extensions/tool-extension-options.ts'
import type { OwnedToolOptions } from '../extensions/tool-options.ts'
import type { Access } from '../lists/access.ts'
import type { PromptOptions, PromptParts } from '../prompts/prompt.ts'
import type { ResourceOptions, ResourceParts } from '../resources/resource.ts'
import type { ToolOptions, ToolParts } from '../tools/tool.ts'
import { nameOwner } from '../values/arguments.ts'

export const ACCESS_KEYS: KnownKeys<Access> = { visible: true, scopes: true }

/** Without what the extensions of others add. */
export type BuiltInToolOptions = Omit<ToolOptions, Exclude<keyof ToolExtensionOptions, 'task' | 'ui'>>

export const TOOL_KEYS: KnownKeys<BuiltInToolOptions> = {
  ...ACCESS_KEYS,
  title: true,
  description: true,
  input: true,
  output: true,
  inputSchema: true,
  outputSchema: true,
  inputJsonSchema: true,
  outputJsonSchema: true,
  annotations: true,
  icons: true,
  meta: true,
  timeoutMs: true,
  requires: true,
  version: true,
  task: true,
  ui: true,
}

export const PROMPT_KEYS: KnownKeys<PromptOptions> = {
  ...ACCESS_KEYS,
  title: true,
  description: true,
  input: true,
  inputSchema: true,
  inputJsonSchema: true,
  icons: true,
  meta: true,
  complete: true,
}

export const RESOURCE_KEYS: KnownKeys<ResourceOptions> = {
  ...ACCESS_KEYS,
  name: true,
  title: true,
  description: true,
  mimeType: true,
  size: true,
  annotations: true,
  icons: true,
  meta: true,
  listed: 'boolean',
  list: true,
  complete: true,
  allowTraversal: true,
  allowAbsolutePaths: true,
}

const USE_INPUT = 'Use "input".'
const USE_META = 'Use "meta".'
const TOOL_ADVICE: KeyAdvice = { parameters: USE_INPUT, schema: USE_INPUT, paramsSchema: USE_INPUT, _meta: USE_META }
const PROMPT_ADVICE: KeyAdvice = { argsSchema: USE_INPUT, arguments: USE_INPUT, schema: USE_INPUT, _meta: USE_META }
const RESOURCE_ADVICE: KeyAdvice = { _meta: USE_META }

/** The names that no extension can take. */
export const TOOL_PARTS: KnownKeys<BuiltInToolOptions & Pick<ToolParts, 'run'>> = { ...TOOL_KEYS, run: true }

const ADD_EXTENSION = 'An option of an extension needs the extension in the option extensions of the server.'

/**
 * The options of a tool, or of an update of one, under their current names. Throws `TypeError` for unknown options. Without a
 * server, whose extensions are not known yet, any option may be one of an extension.
 */
export function readToolOptions(
  name: string,
  options: Partial<ToolParts> = {},
  owned?: OwnedToolOptions,
): Partial<ToolParts> {
  checkKind('The name of a tool', name, 'string', "tool('add', options, run)")
  const owner = nameOwner('tool', name)
  if (owned === undefined) checkObject(owner, options)
  else checkKeys<object>(owner, options, { ...TOOL_PARTS, ...owned.keys }, TOOL_ADVICE, ADD_EXTENSION)
  const { inputSchema, outputSchema, ...rest } = options
  if (inputSchema === undefined && outputSchema === undefined) return options
  return {
    ...rest,
    ...currentName(owner, 'input', rest.input, inputSchema),
    ...currentName(owner, 'output', rest.output, outputSchema),
  }
}

/** As `readToolOptions`, for a prompt. */
export function readPromptOptions(name: string, options: Partial<PromptParts> = {}): Partial<PromptParts> {
  checkKind('The name of a prompt', name, 'string', "prompt('greet', options, run)")
  const owner = nameOwner('prompt', name)
  checkKeys(owner, options, { ...PROMPT_KEYS, run: true }, PROMPT_ADVICE)
  const { inputSchema, ...rest } = options
  if (inputSchema === undefined) return options
  return { ...rest, ...currentName(owner, 'input', rest.input, inputSchema) }
}

/** Throws `TypeError` for unknown options of a resource or of an update of it. */
export function checkResourceOptions(uri: string, options: Partial<ResourceParts>): void {
  checkKind('The uri of a resource', uri, 'string', "resource('notes://today', options, read)")
  checkKeys(nameOwner('resource', uri), options, { ...RESOURCE_KEYS, read: true }, RESOURCE_ADVICE)
}

function currentName(owner: string, key: 'input' | 'output', now: object | undefined, before: object | undefined) {
  if (before === undefined) return {}
  if (now === undefined) return { [key]: before }
  throw withHelp(
    'wrong-option',
    new TypeError(
      `The ${owner} has both ${key} and ${key}Schema, which mean the same. Use ${key}. ` +
        `Pass the JSON Schema of a schema from a library that has none as ${key}JsonSchema.`,
    ),
  )
}

interface Registered {
  readonly options: object
  readonly run: unknown
}

/** Throws `TypeError` if the handler is not a function. `owner` is as in `tool "add"`. */
export function checkHandler(owner: string, run: unknown): void {
  if (typeof run !== 'function')
    throw withHelp('not-a-function', new TypeError(`The handler of ${owner} must be a function`))
}

/** `tool(name, run)` and `tool(name, options, run)`. A missing handler is found later, by `checkHandler`. */
export function optionsAndHandler<Definition extends Registered>(
  options: object,
  handler: unknown,
): Pick<Definition, 'options' | 'run'> {
  return handler === undefined && typeof options === 'function'
    ? { options: {}, run: options }
    : { options, run: handler }
}

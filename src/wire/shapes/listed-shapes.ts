// The shapes of what a server lists, as the newest revision has them, written out: a program that defines a server needs these and
// none of the tables that they derive from. A test holds both against each other.
import { type Check, compile, type Scope } from './compile.ts'
import type { Misfit } from './misfit.ts'
import {
  anything,
  array,
  boolean,
  integer,
  numberBetween,
  object,
  oneOf,
  optional,
  record,
  type ShapeTable,
  string,
} from './shape.ts'

const NAMED = { name: string, description: optional(string) }
const LISTED = { title: optional(string), _meta: optional('MetaObject') }
const ICONS = { icons: optional(array('Icon')) }
const FLAG = optional('JSONObject')
const READ = { mimeType: optional(string) }
const ANNOTATED = { annotations: optional('Annotations') }

export const LISTED_SHAPES = {
  Tool: () =>
    object({
      ...NAMED,
      inputSchema: object({ $schema: optional(string), type: oneOf('object') }),
      annotations: optional('ToolAnnotations'),
      ...LISTED,
      outputSchema: optional(object({ $schema: optional(string) })),
      ...ICONS,
    }),
  ToolAnnotations: () =>
    object({
      title: optional(string),
      readOnlyHint: optional(boolean),
      destructiveHint: optional(boolean),
      idempotentHint: optional(boolean),
      openWorldHint: optional(boolean),
    }),
  Resource: () =>
    object({ uri: string, ...NAMED, ...READ, size: optional(integer), ...ANNOTATED, ...LISTED, ...ICONS }),
  ResourceTemplate: () => object({ uriTemplate: string, ...NAMED, ...READ, ...ANNOTATED, ...LISTED, ...ICONS }),
  Prompt: () => object({ ...NAMED, arguments: optional(array('PromptArgument')), ...LISTED, ...ICONS }),
  PromptArgument: () => object({ ...NAMED, required: optional(boolean), title: optional(string) }),
  Annotations: () =>
    object({
      audience: optional(array('Role')),
      priority: optional(numberBetween(0, 1)),
      lastModified: optional(string),
    }),
  Role: () => oneOf('assistant', 'user'),
  Icon: () =>
    object({
      src: string,
      mimeType: optional(string),
      sizes: optional(array(string)),
      theme: optional(oneOf('dark', 'light')),
    }),
  MetaObject: () => object({}),
  JSONObject: () => record(anything),
  ClientCapabilities: () =>
    object({
      experimental: optional(record('JSONObject')),
      roots: optional(object({})),
      sampling: optional(object({ context: FLAG, tools: FLAG })),
      elicitation: optional(object({ form: FLAG, url: FLAG })),
      extensions: optional(record('JSONObject')),
    }),
} as const satisfies ShapeTable

export type ListedShape = keyof typeof LISTED_SHAPES

const checks = new Map<string, Check>()

const scope: Scope = {
  shapeOf: (name) => LISTED_SHAPES[name as ListedShape](),
  checkOf(name) {
    const known = checks.get(name)
    if (known !== undefined) return known
    const check = compile(scope.shapeOf(name), scope)
    checks.set(name, check)
    return check
  },
}

/** Where and why `value` is no such thing; `undefined` when it is one. */
export function misfitOfListed(name: ListedShape, value: unknown): Misfit | undefined {
  const found = scope.checkOf(name)(value)
  found?.path.reverse()
  return found
}

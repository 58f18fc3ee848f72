// `changeArguments`: other names, texts and defaults for the arguments of a tool, and arguments that callers don't give.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { rangeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { checkKeys } from '../../primitives/options.ts'
import { quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Transform } from '../sources/transform.ts'
import { MapLayer } from './map-layer.ts'
import { checkNames } from './match.ts'

/** What `changeArguments()` changes of one argument. */
export interface ArgumentChange {
  /** Its new name. */
  name?: string | undefined
  /** What the model reads about it. */
  description?: string | undefined
  /** Sent where the caller gives none; callers need not give it any more. */
  default?: unknown
  /** Takes it out of the schema. Needs `value`. */
  hide?: boolean | undefined
  /** What is sent for an argument that is hidden: a value, or a function of the request. */
  value?: unknown
  /** Whether callers must give it. */
  required?: boolean | undefined
  /** In the place of its schema; what callers give is held against it by the tool's own schema only. */
  schema?: JSONObject | undefined
}

const KEYS = {
  name: 'string',
  description: 'string',
  default: true,
  hide: 'boolean',
  value: true,
  required: 'boolean',
  schema: 'object',
} as const

/** Changes the arguments of a tool. Calls get them back as the tool knows them. */
export function changeArguments(tool: string, changes: Readonly<Record<string, ArgumentChange>>): Transform {
  const owner = `changeArguments(${quote(tool)})`
  for (const [name, change] of Object.entries(changes)) {
    checkKeys(`${owner}: ${name}`, change, KEYS)
    if (change.hide === true && change.value === undefined)
      throw rangeError(
        'wrong-argument',
        `${owner} hides ${quote(name)} without a value. Give the value that the tool gets.`,
      )
  }
  const fronts = new Map(Object.entries(changes).map(([own, { name = own }]) => [name, own]))
  if (fronts.size < Object.keys(changes).length)
    throw rangeError('wrong-argument', `${owner} gives two arguments the same name.`)
  return (source) => {
    checkNames(owner, source, [tool])
    return new MapLayer(source, {
      maps: { 'tools/list': (item) => (item.name === tool ? changeTool(owner, item as Tool, changes) : item) },
      call: (params, next, request) => {
        if (params['name'] !== tool) return next(params)
        return whenDone(toOwn(tool, (params['arguments'] ?? {}) as JSONObject, changes, fronts, request), (args) =>
          next({ ...params, arguments: args }),
        )
      },
      isPerCaller: false,
      keyOf: (_list, key) => key,
      expected: { 'tools/list': [tool] },
    })
  }
}

function changeTool(owner: string, tool: Tool, changes: Readonly<Record<string, ArgumentChange>>): Tool {
  const { inputSchema } = tool
  const properties: JSONObject = {}
  const required = new Set(inputSchema.required ?? [])
  const given = (inputSchema.properties ?? {}) as JSONObject
  for (const own of Object.keys(changes)) {
    if (!Object.hasOwn(given, own))
      throw rangeError('wrong-argument', `${owner} names ${quote(own)}, which is no argument.`)
  }
  for (const [own, schema] of Object.entries(given)) {
    const change = Object.hasOwn(changes, own) ? changes[own] : undefined
    if (change === undefined) {
      properties[own] = schema
      continue
    }
    const front = change.name ?? own
    const isRequired = change.required ?? (required.has(own) && change.default === undefined)
    required.delete(own)
    if (change.hide === true) continue
    if (
      Object.hasOwn(properties, front) ||
      (front !== own && Object.hasOwn(given, front) && changes[front]?.name === undefined)
    )
      throw rangeError('wrong-argument', `${owner} renames ${quote(own)} to ${quote(front)}, which is there already.`)
    properties[front] = changeProperty(inputSchema, schema, change)
    if (isRequired) required.add(front)
  }
  const { required: _required, ...rest } = inputSchema
  return { ...tool, inputSchema: { ...rest, properties, ...(required.size > 0 && { required: [...required] }) } }
}

/** A reference is taken out of its definition first: beside it, older dialects ignore what is added. */
function changeProperty(
  root: JSONObject,
  schema: unknown,
  { description, default: value, schema: instead }: ArgumentChange,
): unknown {
  const base = instead ?? (description === undefined && value === undefined ? schema : dereference(root, schema))
  if (!isPlainObject(base)) return base
  return {
    ...base,
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
  }
}

function dereference(root: JSONObject, schema: unknown): unknown {
  let current = schema
  for (let depth = 0; depth < 16 && isPlainObject(current) && typeof current['$ref'] === 'string'; depth += 1) {
    const { $ref, ...others } = current as { $ref: string }
    const target = resolvePointer(root, $ref)
    if (!isPlainObject(target)) return current
    current = { ...target, ...others }
  }
  return current
}

function resolvePointer(root: JSONObject, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

/** The arguments as the tool knows them. The old name of a renamed one, and a hidden one, are unknown to callers. */
function toOwn(
  tool: string,
  args: JSONObject,
  changes: Readonly<Record<string, ArgumentChange>>,
  fronts: ReadonlyMap<string, string>,
  request: ServerRequestContext,
): MaybePromise<JSONObject> {
  const own: JSONObject = {}
  for (const [front, value] of Object.entries(args)) {
    const name = fronts.get(front)
    const isGone = name === undefined && Object.hasOwn(changes, front)
    if (isGone || (name !== undefined && changes[name]?.hide === true))
      throw new MCPError(ErrorCode.InvalidParams, `The tool ${quote(tool)} has no argument ${quote(front)}`)
    own[name ?? front] = value
  }
  const waiting: Promise<void>[] = []
  for (const [name, { hide, value, default: fallback }] of Object.entries(changes)) {
    if (hide === true) {
      const given: unknown = typeof value === 'function' ? value(request) : value
      if (given instanceof Promise) waiting.push(given.then((late) => void Object.assign(own, { [name]: late })))
      else own[name] = given
    } else if (fallback !== undefined && !Object.hasOwn(own, name)) own[name] = fallback
  }
  return waiting.length === 0 ? own : Promise.all(waiting).then(() => own)
}

// `changeArguments`: other names, texts and defaults for the arguments of a tool, and arguments that callers don't give.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { rangeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { checkKeys } from '../../primitives/options.ts'
import { quoteShort } from '../../primitives/quote.ts'
import { quote } from '../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { returnsArgumentErrors } from '../../wire/revision-facts.ts'
import { knownComponent } from '../sources/known.ts'
import type { Transform } from '../sources/transform.ts'
import { expectNames } from './expected-names.ts'
import { KEEPS_KEYS } from './layer-maps.ts'
import { MapLayer } from './map-layer.ts'
import { toolFailure } from './own-tools.ts'
import { Told } from './told.ts'

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
  const all = fittingOfAll(changes, [], false)
  if (all.fronts.size < Object.keys(changes).length)
    throw rangeError('wrong-argument', `${owner} gives two arguments the same name.`)
  const fittings = new WeakMap<object, Fitting>()
  const fittingOf = (item: Component | undefined): Fitting => {
    if (item === undefined) return all
    const fitting = fittings.get(item) ?? fitTo(item as Tool, owner, changes)
    fittings.set(item, fitting)
    return fitting
  }
  return (source) => {
    const expected = expectNames(owner, source, [tool], ['tools/list'])
    const [problem] = fittingOf(knownComponent(source, 'tools/list', tool)).problems
    if (problem !== undefined) throw rangeError('wrong-argument', problem)
    const told = new Told()
    return new MapLayer(source, {
      maps: {
        'tools/list': (item, request) => {
          if (item.name !== tool) return item
          const { changes: fitting, problems, isLost } = fittingOf(item)
          for (const one of problems)
            told.tell(request, isLost ? `${one} The tool is left out.` : `${one} That is ignored.`)
          return isLost ? undefined : changeTool(item as Tool, fitting)
        },
      },
      call: (params, next, request, item) => {
        if (params['name'] !== tool) return next(params)
        const { changes: fitting, fronts, isInWords } = fittingOf(item)
        if (isInWords) return next(params)
        const args = (params['arguments'] ?? {}) as JSONObject
        const unknown = Object.keys(args).filter((front) => !isKnown(front, fitting, fronts))
        if (unknown.length > 0) return refuse(tool, unknown, params, request)
        return whenDone(toOwn(args, fitting, fronts, request), (own) => next({ ...params, arguments: own }))
      },
      isPerCaller: false,
      ...KEEPS_KEYS,
      expected,
    })
  }
}

type Changes = Readonly<Record<string, ArgumentChange>>

/** What of the changes a tool can have. */
interface Fitting {
  readonly changes: Changes
  /** By new name. */
  readonly fronts: ReadonlyMap<string, string>
  readonly problems: readonly string[]
  /** A hidden argument is not there: whether another one has its meaning now, nobody knows, so callers must not give it. */
  readonly isLost: boolean
  /** What is changed is read and not sent: calls pass as they are. */
  readonly isInWords: boolean
}

function frontsOf(changes: Changes): ReadonlyMap<string, string> {
  return new Map(Object.entries(changes).map(([own, { name = own }]) => [name, own]))
}

function fitTo({ inputSchema }: Tool, owner: string, changes: Changes): Fitting {
  const given = (inputSchema.properties ?? {}) as JSONObject
  const problems: string[] = []
  let isLost = false
  const fitting: Record<string, ArgumentChange> = {}
  for (const [own, change] of Object.entries(changes)) {
    const { name: front = own, ...rest } = change
    if (!Object.hasOwn(given, own)) {
      problems.push(`${owner} names ${quote(own)}, which is not an argument.`)
      isLost ||= change.hide === true
    } else if (front !== own && Object.hasOwn(given, front) && changes[front]?.name === undefined) {
      problems.push(`${owner} renames ${quote(own)} to ${quote(front)}, which is there already.`)
      fitting[own] = rest
    } else fitting[own] = change
  }
  return fittingOfAll(fitting, problems, isLost)
}

function fittingOfAll(changes: Changes, problems: readonly string[], isLost: boolean): Fitting {
  const isInWords = Object.values(changes).every(
    ({ name, hide, default: fallback }) => name === undefined && hide !== true && fallback === undefined,
  )
  return { changes, fronts: frontsOf(changes), problems, isLost, isInWords }
}

function changeTool(tool: Tool, changes: Changes): Tool {
  const { inputSchema } = tool
  const properties: JSONObject = {}
  const required = new Set(inputSchema.required ?? [])
  for (const [own, schema] of Object.entries((inputSchema.properties ?? {}) as JSONObject)) {
    const change = Object.hasOwn(changes, own) ? changes[own] : undefined
    if (change === undefined) {
      properties[own] = schema
      continue
    }
    const front = change.name ?? own
    const isRequired = change.required ?? (required.has(own) && change.default === undefined)
    required.delete(own)
    if (change.hide === true) continue
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

/** The old name of a renamed argument, and a hidden one, are unknown to callers. */
function isKnown(
  front: string,
  changes: Readonly<Record<string, ArgumentChange>>,
  fronts: ReadonlyMap<string, string>,
): boolean {
  const name = fronts.get(front)
  if (name === undefined) return !Object.hasOwn(changes, front)
  return changes[name]?.hide !== true
}

/** As a tool says it of an argument that it does not have: to the model, where that can correct it. */
function refuse(
  tool: string,
  unknown: readonly string[],
  { task }: JSONObject,
  { protocolVersion }: ServerRequestContext,
): JSONObject {
  const lines = unknown.slice(0, MAX_NAMES).map((name) => `\n- unknown property ${quoteShort(name)}`)
  const text = `Invalid arguments for tool ${quote(tool)}:${lines.join('')}`
  if (returnsArgumentErrors(protocolVersion) && task === undefined) return toolFailure(text)
  throw new MCPError(ErrorCode.InvalidParams, text)
}

const MAX_NAMES = 10

/** The arguments as the tool knows them. */
function toOwn(
  args: JSONObject,
  changes: Readonly<Record<string, ArgumentChange>>,
  fronts: ReadonlyMap<string, string>,
  request: ServerRequestContext,
): MaybePromise<JSONObject> {
  const own: JSONObject = Object.fromEntries(
    Object.entries(args).map(([front, value]) => [fronts.get(front) ?? front, value]),
  )
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

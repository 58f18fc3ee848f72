// The arguments of a call: validates them, repairs them where allowed, and explains what is wrong with them.

import { isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import { withHelp, withHelpOf } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import {
  count,
  type Issue,
  type JSONSchemaObject,
  labelOf,
  quote,
  SchemaError,
  typeName,
  type Validation,
} from '../../schema/json-schema.ts'
import { type ResolvedSchema, readUserSchema, type SchemaDirection } from '../../schema/user-schema.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { LimitError } from '../../types/errors/failures.ts'
import type { Host } from '../handlers/host.ts'
import type { ParsedType, RepairArguments } from './argument-repair.ts'
import { calling } from './calling.ts'
import { looksSensitive, reportSlowPatterns } from './definition-checks.ts'
import { spellOutProperties } from './listed.ts'
import { freezeJSON } from './plain-json.ts'

/** Spec, Tools: the input schema of a tool without arguments. */
const NO_ARGUMENTS: JSONSchemaObject = Object.freeze({ type: 'object', additionalProperties: false })

export interface ArgumentPlan {
  /** The schema as it is listed. */
  readonly jsonSchema: JSONSchemaObject & { type: 'object' }
  readonly validate: ResolvedSchema['validate']
  readonly repair: RepairArguments
}

export interface PlanOptions {
  /** Whose arguments they are, as in `tool "add"`. */
  readonly owner: string
  readonly schema: object | undefined
  /** The JSON Schema of a schema that cannot describe itself. */
  readonly jsonSchema: JSONSchemaObject | undefined
  /** The types that a string may be parsed to if validation fails. */
  readonly repairs: readonly ParsedType[]
}

export function planArguments(host: Host, options: PlanOptions): ArgumentPlan {
  const { owner, schema = NO_ARGUMENTS, jsonSchema, repairs } = options
  const resolved = resolveFor(host, `the input of ${owner}`, schema, 'input', jsonSchema)
  const { type = 'object' } = resolved.jsonSchema
  if (type !== 'object')
    throw withHelp('input-not-a-schema', new TypeError(`The input of ${owner} must be the schema of an object.`))
  // Arguments are always an object, also where the schema does not say so.
  const listed = freezeJSON({ type: 'object' as const, ...spellOutProperties(resolved.jsonSchema) })
  if ('~standard' in schema) reportSlowPatterns(host, owner, listed)
  let repair: RepairArguments | undefined
  return {
    jsonSchema: listed as ArgumentPlan['jsonSchema'],
    validate: (value) => {
      // So that a tool without arguments is called without an engine.
      if (schema === NO_ARGUMENTS && isPlainObject(value) && Object.keys(value).length === 0) return { ok: true, value }
      try {
        const validation = resolved.validate(value)
        return isThenable(validation) ? validation.catch((error: unknown) => throwFor(owner, error)) : validation
      } catch (error) {
        return throwFor(owner, error)
      }
    },
    repair: (args) => {
      repair ??= calling.loaded.createRepair(listed, repairs)
      return repair(args)
    },
  }
}

function throwFor(owner: string, error: unknown): never {
  throw error instanceof LimitError ? tooMuchToCheck(owner, error) : error
}

/** An error of the caller: smaller arguments would be checked. */
function tooMuchToCheck(owner: string, { limit, max }: LimitError): MCPError {
  const message = `Invalid arguments for ${owner}: there is too much to check (${limit}: at most ${max}). Send less at once.`
  return new MCPError(ErrorCode.InvalidParams, message, { limit, max })
}

/** Calls `resolveSchema`. Its errors name the owner of the schema. */
export function resolveFor(
  { engine, server }: Host,
  what: string,
  schema: object,
  direction: SchemaDirection,
  jsonSchema: JSONSchemaObject | undefined,
): ResolvedSchema {
  try {
    const beside = jsonSchema && engine.compile(jsonSchema)
    const resolved = readUserSchema(schema, { direction, engine, jsonSchema })
    for (const settling of [beside?.settling, resolved.settling]) {
      if (settling !== undefined) server.startsAfter(settling.catch((cause: unknown) => throwNamed(what, cause)))
    }
    return resolved
  } catch (cause) {
    return throwNamed(what, cause)
  }
}

function throwNamed(what: string, cause: unknown): never {
  if (!(cause instanceof SchemaError)) throw cause
  throw withHelpOf(cause, 'bad-json-schema', new SchemaError(`${what}: ${cause.reason}`, cause.schemaPath, { cause }))
}

/** Arguments as the handler gets them, or what is wrong with them. */
export type CheckedArguments = Validation & {
  /** The arguments that came as JSON in a string and were parsed. */
  readonly repaired?: readonly string[]
}

/**
 * Validates, and once more what could be repaired where `mayRepair` allows it. The issues are those of the repaired arguments,
 * so that nobody has to correct what does no harm.
 */
export function validateArguments(
  plan: ArgumentPlan,
  args: unknown,
  mayRepair: boolean,
): MaybePromise<CheckedArguments> {
  const validation = plan.validate(args)
  // Nearly every call goes this way, and no promise is made for it.
  if (!isThenable(validation) && validation.ok) return validation
  return checkWithRepair(plan, args, mayRepair, validation)
}

async function checkWithRepair(
  { validate, repair }: ArgumentPlan,
  args: unknown,
  mayRepair: boolean,
  validating: MaybePromise<Validation>,
): Promise<CheckedArguments> {
  const validation = await validating
  if (validation.ok) return validation
  const repaired = mayRepair ? repair(args) : undefined
  if (repaired === undefined) return describeInvalid(validation.issues, args)
  const second = await validate(repaired.value)
  return second.ok ? { ...second, repaired: repaired.names } : describeInvalid(second.issues, repaired.value)
}

function describeInvalid(issues: readonly Issue[], args: unknown): CheckedArguments {
  return { ok: false, issues: issues.map((issue) => addReceived(issue, args)) }
}

const MAX_EXPLAINED = 10

/** For the model: which argument is wrong, what was expected, and what was received. */
export function explainIssues(owner: string, issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_EXPLAINED).map(({ message }) => `- ${message}`)
  const more = issues.length > MAX_EXPLAINED ? [`- and ${issues.length - MAX_EXPLAINED} more`] : []
  return [`Invalid arguments for ${owner}:`, ...lines, ...more].join('\n')
}

/** `tool "add"`, for messages. */
export function nameOwner(kind: string, name: string): string {
  return `${kind} ${quote(name)}`
}

/** Words by which a message says what was received. */
const NAMES_RECEIVED = /\b(?:got|received|was|missing|unknown|unrecognized)\b/i

/** The issue with the received value in its message: `size: expected one of "S", "M", got "XXL"`. */
export function addReceived(issue: Issue, args: unknown): Issue {
  const { message, path, keyword } = issue
  // The arguments as a whole are always an object.
  if (path.length === 0) return issue
  const value = receivedAt(args, path)
  const shown = path.some((key) => looksSensitive(String(key))) ? typeName(value) : showReceived(value)
  const ending = `, got ${typeName(value)}`
  if ((keyword === 'enum' || keyword === 'const') && message.endsWith(ending)) {
    return { ...issue, message: `${message.slice(0, -ending.length)}, got ${shown}` }
  }
  const words = message.slice(labelOf(path).length).replace(/"(?:[^"\\]|\\.)*"/g, '')
  return NAMES_RECEIVED.test(words) ? issue : { ...issue, message: `${message} (got ${shown})` }
}

function receivedAt(args: unknown, path: Issue['path']): unknown {
  let value = args
  for (const key of path) value = Array.isArray(value) ? value[Number(key)] : ownMember(value, String(key))
  return value
}

function showReceived(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `an array of ${count(value.length, 'item')}`
  return isPlainObject(value) ? 'an object' : String(value)
}

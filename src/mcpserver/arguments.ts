// Arguments on their way to a handler: validated, repaired where that is allowed, and explained where they are wrong.
import { type Issue, quote, type Validation } from '../schema/issue.ts'
import type { JSONSchemaObject } from '../schema/json-schema.ts'
import { SchemaError } from '../schema/schema-error.ts'
import { type ResolvedSchema, resolveSchema, type SchemaDirection } from '../schema/user-schema.ts'
import type { MaybePromise } from '../server/handlers.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import { LimitError } from '../types/failures.ts'
import { createRepair, type ParsedType, type RepairArguments } from './argument-repair.ts'
import { reportDoubtfulPatterns } from './doubtful-patterns.ts'
import type { Host } from './host.ts'
import { spellOutProperties } from './listed.ts'
import { whenDone } from './maybe-promise.ts'
import { freezeJSON } from './plain-json.ts'
import { tellReceived } from './received.ts'

/** Spec, Tools: how something that takes no arguments says so. */
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
  /** What a string may be parsed to, if nothing else helps. */
  readonly repairs: readonly ParsedType[]
}

export function planArguments(host: Host, options: PlanOptions): ArgumentPlan {
  const { owner, schema = NO_ARGUMENTS, jsonSchema, repairs } = options
  const resolved = resolveFor(host, `the input of ${owner}`, schema, 'input', jsonSchema)
  const { type = 'object' } = resolved.jsonSchema
  if (type !== 'object') throw new TypeError(`The input of ${owner} must be the schema of an object`)
  // Arguments always are an object, so that it can be said where the schema does not.
  const listed = freezeJSON({ type: 'object' as const, ...spellOutProperties(resolved.jsonSchema) })
  if ('~standard' in schema) reportDoubtfulPatterns(host, owner, listed)
  let repair: RepairArguments | undefined
  return {
    jsonSchema: listed as ArgumentPlan['jsonSchema'],
    validate: (value) => {
      try {
        return resolved.validate(value)
      } catch (error) {
        throw error instanceof LimitError ? tooCostly(owner, error) : error
      }
    },
    repair: (args) => {
      repair ??= createRepair(listed, repairs)
      return repair(args)
    },
  }
}

/** Not a failure of whoever takes them: a caller that sends less gets an answer. */
function tooCostly(owner: string, { limit, max }: LimitError): MCPError {
  const message = `Invalid arguments for ${owner}: there is too much to check (${limit}: at most ${max}); send less at once`
  return new MCPError(ErrorCode.InvalidParams, message, { limit, max })
}

/** As `resolveSchema`, with errors that say whose schema it is. */
export function resolveFor(
  { engine }: Host,
  what: string,
  schema: object,
  direction: SchemaDirection,
  jsonSchema: JSONSchemaObject | undefined,
): ResolvedSchema {
  try {
    if (jsonSchema !== undefined) engine.compile(jsonSchema)
    return resolveSchema(schema, { direction, engine, jsonSchema })
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause
    throw new SchemaError(`${what}: ${cause.reason}`, cause.schemaPath, { cause })
  }
}

/**
 * Validates, and once more what could be repaired; `onRepair` is told the names of arguments that were. What is wrong
 * is told of the repaired ones, so that nobody has to correct what does no harm.
 */
export function validateArguments(
  { validate, repair }: ArgumentPlan,
  args: unknown,
  onRepair: ((names: readonly string[]) => void) | undefined,
): MaybePromise<Validation> {
  return whenDone(validate(args), (validation) => {
    if (validation.ok) return validation
    const repaired = onRepair === undefined ? undefined : repair(args)
    if (repaired === undefined) return refuse(validation.issues, args)
    return whenDone(validate(repaired.value), (second) => {
      if (!second.ok) return refuse(second.issues, repaired.value)
      onRepair?.(repaired.names)
      return second
    })
  })
}

function refuse(issues: readonly Issue[], args: unknown): Validation {
  return { ok: false, issues: issues.map((issue) => tellReceived(issue, args)) }
}

const MAX_EXPLAINED = 10

/** For a model to read: which argument, what was expected, what came. */
export function explainIssues(owner: string, issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_EXPLAINED).map(({ message }) => `- ${message}`)
  const more = issues.length > MAX_EXPLAINED ? [`- and ${issues.length - MAX_EXPLAINED} more`] : []
  return [`Invalid arguments for ${owner}:`, ...lines, ...more].join('\n')
}

/** `tool "add"`, for messages. */
export function nameOwner(kind: string, name: string): string {
  return `${kind} ${quote(name)}`
}

// Holds messages against the method table and the shapes of a revision, and takes out what belongs to other revisions.

import { isPlainObject, ownMember } from '../primitives/json/objects.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError, type MCPErrorOptions } from '../types/errors/errors.ts'
import { InvalidResultError } from '../types/errors/failures.ts'
import { invalidParams } from '../types/errors/invalid-params.ts'
import { CORE_RESULT_TYPES } from '../types/protocol/base.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import { isSpecMethod, notificationRow, requestRow } from './method-rows.ts'
import type { NotificationRow, RequestRow, Sender } from './methods.ts'
import { lenientGrammarOf } from './relaxations.ts'
import { completeCheckOf, type RequestRules, requestRules, sieveOf } from './request-rules.ts'
import { grammarOf, type ShapeName } from './shapes/grammar.ts'
import { formatMisfit, formatPath, type Misfit } from './shapes/misfit.ts'
import { listWords } from './shapes/shape-facts.ts'

/** The longest part of a method name that an error repeats to its sender. */
const MAX_ECHO_LENGTH = 128

/**
 * Throws `MCPError`: -32601 when the revision has no such request from this side, -32602 when the params do not fit.
 * Absent params count as `{}`. A vendor's method is in no table: ask `checkKnownRequest`. The error is `local` where the options
 * say so: what this side is about to send is no mistake of the peer's.
 */
export function checkRequest(
  method: string,
  version: ProtocolVersion,
  params: unknown,
  from: Sender,
  options?: MCPErrorOptions,
): void {
  const row = requestRow(method, version, from)
  if (row === undefined) throw methodNotFound(method, version, options)
  checkParams(method, version, params, row.params, options)
}

/** As `checkRequest`, for what a client sends and for methods of the specification; those of vendors pass. */
export function checkKnownRequest(method: string, version: ProtocolVersion, params: unknown): void {
  const rules = requestRules(method, version)
  if (rules?.isFromClient === true) {
    const misfit = rules.check(params === undefined ? {} : params)
    if (misfit !== undefined) throw invalidParams(method, formatMisfit(outsideIn(misfit)))
  } else if (isSpecMethod(method)) throw methodNotFound(method, version)
}

/** As `checkRequest`, for a notification. There is no response: the receiver drops what this rejects. */
export function checkNotification(
  method: string,
  version: ProtocolVersion,
  params: unknown,
  from: Sender,
  options?: MCPErrorOptions,
): void {
  const row = notificationRow(method, version, from)
  if (row === undefined) throw methodNotFound(method, version, options)
  checkParams(method, version, params, row.params, options)
}

function checkParams(
  method: string,
  version: ProtocolVersion,
  params: unknown,
  shape: ShapeName,
  options?: MCPErrorOptions,
): void {
  const misfit = grammarOf(version).misfit(shape, params === undefined ? {} : params)
  if (misfit === undefined) return
  throw invalidParams(method, formatMisfit(misfit), undefined, options)
}

function methodNotFound(method: string, version: ProtocolVersion, options?: MCPErrorOptions): MCPError {
  const echo = method.length > MAX_ECHO_LENGTH ? `${method.slice(0, MAX_ECHO_LENGTH)}…` : method
  const message = `Method not found: ${echo} (protocol revision ${version})`
  return new MCPError(ErrorCode.MethodNotFound, message, undefined, options)
}

export interface CheckResultOptions {
  /** The `resultType`s of extensions that the caller announced. Results of these come back unchecked. */
  readonly claims?: ReadonlySet<string>
  /** The request asked to be run as a task (2025-11-25). */
  readonly asTask?: boolean
}

/** What kind of answer a result is. */
export type ResultKind = 'complete' | 'input_required' | 'task' | 'claimed'

/**
 * Says what kind of result this is, or throws `InvalidResultError` with the place that does not fit.
 * Forgives what `RELAXATIONS` lists.
 */
export function checkResult(
  method: string,
  version: ProtocolVersion,
  result: unknown,
  options: CheckResultOptions = {},
): ResultKind {
  const rules = requestRules(method, version)
  if (rules === undefined) throw methodNotFound(method, version)
  const kind = kindOf(rules, result, options)
  if (kind === undefined) throw invalidResult(method, unknownResultType(rules.row))
  if (kind === 'claimed') return kind
  const check =
    kind === 'complete' ? completeCheckOf(rules) : lenientGrammarOf(version).checkOf(shapeOf(kind, rules.row))
  const misfit = check(result)
  if (misfit !== undefined) throw invalidResult(method, outsideIn(misfit))
  return kind
}

function outsideIn(misfit: Misfit): Misfit {
  misfit.path.reverse()
  return misfit
}

/** The params without what belongs to other revisions. The same object comes back when nothing has to go. */
export function sieveParams<T>(method: string, version: ProtocolVersion, params: T): T {
  const rules = requestRules(method, version)
  if (rules !== undefined) return sieveOf(rules)(params) as T
  const row = eitherNotificationRow(method, version)
  return row === undefined ? params : grammarOf(version).sieve(row.params, params)
}

/** The result without what belongs to other revisions. The same object comes back when nothing has to go. */
export function sieveResult<T>(method: string, version: ProtocolVersion, result: T): T {
  const rules = requestRules(method, version)
  if (rules === undefined) return result
  const kind = kindOf(rules, result, { asTask: true })
  // An extension's result is the extension's to shape.
  if (kind === undefined || kind === 'claimed') return result
  return grammarOf(version).sieve(shapeOf(kind, rules.row), result)
}

/** `undefined` for a result type that is not declared. */
function kindOf(
  { row, version, hasResultTypes }: RequestRules,
  result: unknown,
  { claims, asTask = false }: CheckResultOptions,
): ResultKind | undefined {
  if (!hasResultTypes) {
    const mayBeTask = asTask && row.mayBeTask === true && grammarOf(version).has('CreateTaskResult')
    return mayBeTask && isPlainObject(ownMember(result, 'task')) ? 'task' : 'complete'
  }
  const type = ownMember(result, 'resultType')
  if (type === 'input_required') return row.mayAskForInput ? 'input_required' : undefined
  if (typeof type !== 'string' || type === 'complete') return 'complete'
  return claims?.has(type) ? 'claimed' : undefined
}

function shapeOf(kind: Exclude<ResultKind, 'claimed'>, row: RequestRow): ShapeName {
  if (kind === 'input_required') return 'InputRequiredResult'
  return kind === 'task' ? 'CreateTaskResult' : row.result
}

function eitherNotificationRow(method: string, version: ProtocolVersion): NotificationRow | undefined {
  return notificationRow(method, version, 'client') ?? notificationRow(method, version, 'server')
}

function unknownResultType(row: RequestRow): Misfit {
  const expected = listWords(row.mayAskForInput ? CORE_RESULT_TYPES : ['complete'])
  return { path: ['resultType'], expected, got: 'another string' }
}

function invalidResult(method: string, misfit: Misfit): InvalidResultError {
  return new InvalidResultError(`Invalid result of ${method}: ${formatMisfit(misfit)}`, formatPath(misfit.path))
}

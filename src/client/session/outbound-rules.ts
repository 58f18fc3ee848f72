// What holds for a request of a client at the revision that was agreed on, found once for each method.
import { orderError } from '../../primitives/help.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type CheckResultOptions, checkResult, type ResultKind } from '../../wire/check.ts'
import { isSpecMethod, requestFacts } from '../../wire/method-rows.ts'
import { type RequestRules, requestRules } from '../../wire/request-rules.ts'
import type { ClaimedResult } from '../extensions/extension.ts'
import type { ClientExtensionRequest, OwnedRequests } from '../extensions/owned-requests.ts'
import type { Era } from './era.ts'
import type { ClientMiddlewareContext } from './middleware.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const LONG_TIMEOUT_MS = 300_000

export interface OutboundRules {
  /** The request of an extension. */
  readonly own: ClientExtensionRequest | undefined
  /** `undefined` for what the revision does not have. */
  readonly spec: RequestRules | undefined
  /** Whether any revision has it. */
  readonly isSpec: boolean
  readonly mayBeSent: boolean
  /** Whether it may take long, so that progress counts as a sign of life. */
  readonly isLong: boolean
  /** Where the request names none. */
  readonly timeoutMs: number
  /** The param that HTTP repeats in the header `Mcp-Name`. */
  readonly nameParam: string | undefined
  /** For a request that is not sent as a task. */
  readonly resultOptions: CheckResultOptions
}

/** The rules of all methods of one session. */
export class OutboundRulebook {
  readonly #owned: OwnedRequests
  readonly #timeoutMs: number | undefined
  #era: Era | undefined
  #known = new Map<string, OutboundRules>()

  constructor(owned: OwnedRequests, timeoutMs: number | undefined) {
    this.#owned = owned
    this.#timeoutMs = timeoutMs
  }

  of(era: Era, method: string): OutboundRules {
    const known = this.#era === era ? this.#known.get(method) : undefined
    return known ?? this.#find(era, method)
  }

  #find(era: Era, method: string): OutboundRules {
    if (this.#era !== era) this.#known = new Map()
    this.#era = era
    const isOwned = this.#owned.has(method)
    const own = era.isNegotiated ? this.#owned.find(method, era.version) : undefined
    const isSpec = isSpecMethod(method)
    const spec = requestRules(method, era.version)
    const facts = requestFacts(method)
    const isLong = facts?.longRunning === true
    const isInTime = era.isNegotiated || facts?.beforeHandshake === true
    const rules: OutboundRules = {
      own,
      spec,
      isSpec,
      // A vendor's method that no extension has may be sent at any time.
      mayBeSent:
        own !== undefined || (isSpec ? isInTime && spec?.isFromClient === true : !isOwned || !era.isNegotiated),
      isLong,
      timeoutMs: this.#timeoutMs ?? own?.timeoutMs ?? (isLong ? LONG_TIMEOUT_MS : DEFAULT_TIMEOUT_MS),
      nameParam: spec?.isFromClient === true ? spec.row.nameParam : undefined,
      resultOptions: facts?.claimable === true ? { claims: era.claimedTypes } : {},
    }
    // The names of vendors are without end.
    if (isSpec || isOwned) this.#known.set(method, rules)
    return rules
  }
}

/** Why a request may not be sent. */
export function refusalOf(era: Era, method: string): Error {
  const isTooEarly = isSpecMethod(method) && !era.isNegotiated && requestFacts(method)?.beforeHandshake !== true
  if (!isTooEarly) return methodNotInRevision(method, era)
  return orderError(
    `Cannot send '${method}' before a revision is negotiated. Call initialize(), discover() or adopt() first.`,
  )
}

export function methodNotInRevision(method: string, { version }: Era): MCPError {
  const message = `'${method}' does not exist in protocol revision ${version}. Nothing was sent.`
  return new MCPError(ErrorCode.MethodNotFound, message, undefined, { local: true })
}

/** The kind of a result. Throws `InvalidResultError` where the revision does not allow it. */
export function kindOf(
  era: Era,
  { method, params }: Pick<ClientMiddlewareContext, 'method' | 'params'>,
  result: JSONObject,
  { own, isSpec, resultOptions }: OutboundRules,
): ResultKind {
  if (own !== undefined) return kindOfOwned(own, era, method, result)
  if (!isSpec) return 'complete'
  const options = params?.['task'] === undefined ? resultOptions : { ...resultOptions, asTask: true }
  const kind = checkResult(method, era.version, result, options)
  if (kind === 'claimed') assertValidClaim(era, result as ClaimedResult)
  return kind
}

/** For a request of an extension: its result is a finished one, and the extension recognises it. */
function kindOfOwned(own: ClientExtensionRequest, era: Era, method: string, result: JSONObject): 'complete' {
  const resultType = era.hasResultTypes ? ownMember(result, 'resultType') : undefined
  if (resultType !== undefined && resultType !== 'complete') {
    throw new InvalidResultError(`The resultType of the result of '${method}' is not 'complete'.`, 'resultType')
  }
  if (own.isValid?.(result) === false) {
    throw new InvalidResultError(`The server returned a result of '${method}' that its extension does not recognise.`)
  }
  return 'complete'
}

/** Throws `InvalidResultError` for what is not the finished result of a `tools/call`. */
export function assertFinishedCall({ version }: Era, result: unknown): void {
  if (checkResult('tools/call', version, result) === 'complete') return
  throw new InvalidResultError('The result of the call is not a finished one.', 'resultType')
}

function assertValidClaim(era: Era, result: ClaimedResult): void {
  const { resultType } = result
  if (era.claims.get(resultType)?.isValid?.(result) === false) {
    throw new InvalidResultError(`The server returned a '${resultType}' result that its extension does not recognise.`)
  }
}

// Which requests a limit counts, what it counts them by, and which are further rounds of a call that was counted.

import { ownMember } from '../../primitives/json/objects.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import { requestFacts } from '../../wire/method-rows.ts'
import { connectionOfRequest, findExtras, type ServerRequestContext, serverOfRequest } from '../context.ts'
import type { ExtensionRequest } from '../extensions/extension.ts'

type Message = Pick<ServerRequestContext, 'params'>

/** The name that the client sent, of any length and content. */
export function nameOf({ params }: Message): string | undefined {
  return ownString(params, 'name')
}

/** As `nameOf`, for a uri. */
export function uriOf({ params }: Message): string | undefined {
  return ownString(params, 'uri')
}

/** The name or the uri, whichever there is. */
export function targetOf(message: Message): string | undefined {
  return nameOf(message) ?? uriOf(message)
}

function ownString(params: Message['params'], key: string): string | undefined {
  const value = ownMember(params, key)
  return typeof value === 'string' ? value : undefined
}

/** Requests with the same key share a limit. A request without a key is not limited. */
export type RequestKey = (ctx: ServerRequestContext) => string | undefined

// Longer names with the same beginning share a key, so that clients cannot fill the memory.
const MAX_TARGET_LENGTH = 256

/** By caller, method and target. */
export function createCallerKey(): RequestKey {
  const nameCaller = createCallerNames()
  return (ctx) => JSON.stringify([nameCaller(ctx), ctx.method, shortTargetOf(ctx)])
}

/** By method and target, whoever calls. */
export function keyByTarget(ctx: ServerRequestContext): string {
  return JSON.stringify([ctx.method, shortTargetOf(ctx)])
}

/** Of a method of an extension, the target is the param that the extension names. */
function shortTargetOf(ctx: ServerRequestContext): string | undefined {
  const nameParam = extensionRequestOf(ctx)?.nameParam
  const target = nameParam === undefined ? targetOf(ctx) : ownString(ctx.params, nameParam)
  return target?.slice(0, MAX_TARGET_LENGTH)
}

function extensionRequestOf(ctx: ServerRequestContext): ExtensionRequest | undefined {
  return serverOfRequest(ctx).extensions?.request(ctx.method, ctx.protocolVersion)
}

/**
 * The verified caller, else the connection. Where neither is known, as for modern requests over HTTP, all callers share one
 * name: a limit that cannot tell callers apart must still limit them.
 */
function createCallerNames(): (ctx: ServerRequestContext) => string {
  const numbers = new WeakMap<object, number>()
  let connections = 0
  const numberOf = (peer: object): number => {
    const known = numbers.get(peer)
    if (known !== undefined) return known
    connections += 1
    numbers.set(peer, connections)
    return connections
  }
  return (ctx) => {
    if (ctx.auth !== undefined) return namePrincipal(ctx.auth)
    const connection = connectionOfRequest(ctx)
    const { peer, clientParams, keeper } = connection
    // Other nodes may count the same session, and count other connections by the same numbers.
    if (keeper !== undefined) return `session ${keeper.digest}`
    const isForOneRequest = peer === connection && clientParams === undefined
    return isForOneRequest ? 'anyone' : `connection ${serverOfRequest(ctx).cluster?.id ?? ''}${numberOf(peer)}`
  }
}

function namePrincipal({ issuer, clientId, subject }: AuthInfo): string {
  return JSON.stringify([issuer, clientId, subject])
}

/** Whether a message is a request of one of these methods that this client may send. */
export function createMethodTest(methods: readonly string[]): (ctx: ServerRequestContext) => boolean {
  const counted = new Set(methods)
  return (ctx) => ctx.requestId !== undefined && counted.has(ctx.method) && !isClosedTo(ctx)
}

/** What an extension refuses in any case is no work to limit, and "try again later" would be wrong. */
function isClosedTo(ctx: ServerRequestContext): boolean {
  return serverOfRequest(ctx).extensions?.isClosedTo(ctx) === true
}

type Fact = (method: string, ofExtension: ExtensionRequest | undefined) => boolean | undefined

/** The facts by which limits know their requests: from the method table, or from the extension that has the method. */
const FACTS = {
  counted: (method, own) => (own === undefined ? requestFacts(method)?.counted : own.isCounted),
  content: (method, own) => (own === undefined ? requestFacts(method)?.content : own.isContent),
  untimed: (method, own) => (own === undefined ? requestFacts(method)?.untimed : own.isUntimed),
} as const satisfies Record<string, Fact>

/** Where an extension has the method at this revision, only what it says counts: `tasks/get` is another method there. */
export function hasFact(ctx: ServerRequestContext, fact: keyof typeof FACTS): boolean {
  return FACTS[fact](ctx.method, extensionRequestOf(ctx)) === true
}

/** Whether a message is a request of one of the methods that the author named or, where none were named, has the fact. */
export function createLimitTest(
  methods: readonly string[] | undefined,
  fact: keyof typeof FACTS,
): (ctx: ServerRequestContext) => boolean {
  if (methods !== undefined) return createMethodTest(methods)
  return (ctx) => ctx.requestId !== undefined && hasFact(ctx, fact) && !isClosedTo(ctx)
}

/** Of a long state, only this much of both ends is remembered. */
const MAX_END_LENGTH = 64

/**
 * A further round has a sealed and verified state that was not used before: otherwise a client could send one state again and
 * again, and never be counted. Only the latest states are remembered.
 */
export class Rounds {
  readonly #maxStates: number
  readonly #brought = new Set<string>()

  constructor(maxStates: number) {
    this.#maxStates = maxStates
  }

  /** Whether a request with this verified state goes on with a call that was counted. To be asked once for each request. */
  isFurther(resumedFrom: string | undefined): boolean {
    if (resumedFrom === undefined) return false
    const state = shorten(resumedFrom)
    if (this.#brought.has(state)) return false
    this.#brought.add(state)
    if (this.#brought.size > this.#maxStates) this.#forgetOldest()
    return true
  }

  #forgetOldest(): void {
    for (const state of this.#brought) {
      this.#brought.delete(state)
      return
    }
  }
}

/** Whether a request goes on with a call that was counted. To be asked once for each request. */
export function isFurtherRound(ctx: ServerRequestContext, rounds: Rounds): boolean {
  const { resumedFrom, isResumedOnce } = findExtras(ctx) ?? {}
  // Whoever accepts each state once, over all nodes, has looked already.
  return isResumedOnce === true || rounds.isFurther(resumedFrom)
}

function shorten(state: string): string {
  return state.length > 2 * MAX_END_LENGTH ? state.slice(0, MAX_END_LENGTH) + state.slice(-MAX_END_LENGTH) : state
}

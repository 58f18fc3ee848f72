// The front of a proxy: a server that gives every request to its source as it came, and the answer back as it is.
import { isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import {
  connectionOfRequest,
  findExtras,
  outerRequestOf,
  type ServerRequestContext,
  serverOfRequest,
} from '../../server/context.ts'
import { INNERMOST, type ServerSettings, SOURCE } from '../../server/core.ts'
import type { DirectMiddleware } from '../../server/handlers.ts'
import { respond } from '../../server/results/respond.ts'
import { Server, type ServerOptions } from '../../server/server.ts'
import type { ListMethod, Source } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { checkKnownRequest } from '../../wire/check.ts'
import { requestFacts, requestRow } from '../../wire/method-rows.ts'
import type { Passage } from '../base/passage.ts'
import { LayerStates } from './layer-states.ts'

/** What the server answers itself: who it is, and that it is there. */
const OWN: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'notifications/initialized'])
const NO_PARAMS: JSONObject = Object.freeze({})

/** `source` may be replaced by one around it until the first request. */
export interface FrontSource {
  readonly source: Source
}

/** Whether the tasks of a caller are those of the proxy itself. */
export type OwnsTasks = (request: ServerRequestContext) => boolean

/** What a front needs of several sources together. */
export interface CompositeFront {
  /** Passes a log level on to the sources of the caller. */
  setLevel(request: ServerRequestContext, params: JSONObject): Promise<void>
  /** Settles when the sources are known; `undefined` where they are. */
  whenReady(): Promise<void> | undefined
  /** The source of a task; `undefined` where it is not known. */
  sourceOfTask(id: unknown): Source | undefined
}

export function createFront(
  name: string,
  options: ServerOptions,
  front: FrontSource,
  passage: Passage,
  further: OwnsTasks | CompositeFront,
): Server {
  const states = new LayerStates(name)
  const settings: ServerSettings = {
    ...options,
    [SOURCE]: () => new Behind(front),
    [INNERMOST]:
      typeof further === 'function'
        ? passOnTo(front, passage, states, further)
        : answerFrom(front, passage, states, further),
  }
  return new Server(name, settings)
}

/** The kernel asks it for the description and the header annotations; everything else goes past the kernel. */
class Behind implements Source {
  readonly #front: FrontSource

  constructor(front: FrontSource) {
    this.#front = front
  }

  describe(request: ServerRequestContext) {
    return this.#front.source.describe(request)
  }

  list(list: ListMethod, request: ServerRequestContext, cursor?: string) {
    return this.#front.source.list(list, request, cursor)
  }

  handle(request: ServerRequestContext, method: string, params: JSONObject) {
    return this.#front.source.handle(request, method, params)
  }

  mirrored(tool: string, request: ServerRequestContext) {
    return this.#front.source.mirrored?.(tool, request)
  }

  watch(...args: Parameters<Source['watch']>) {
    return this.#front.source.watch(...args)
  }

  hold(request: ServerRequestContext) {
    return this.#front.source.hold?.(request)
  }

  async close(): Promise<void> {
    await this.#front.source.close?.()
  }
}

/** The innermost middleware. Requests are checked by nobody here: the answer of the source to bad params is the answer. */
function passOnTo(front: FrontSource, passage: Passage, states: LayerStates, ownsTasks: OwnsTasks): DirectMiddleware {
  const passOn: Omit<DirectMiddleware, 'isDirect'> = (
    ctx: ServerRequestContext,
    next: (params?: JSONObject) => MaybePromise<JSONObject | undefined>,
  ) => {
    const { method, params = NO_PARAMS } = ctx
    passage.check(ctx)
    if (OWN.has(method)) return next()
    const { source } = front
    // The run of a task has no request any more.
    if (ctx.requestId === undefined && ctx.task === undefined) return tell(source, ctx, params)
    requireHandshake(ctx)
    if (method.startsWith('tasks/') && ownsTasks(ctx)) return next()
    if (!isList(method)) return states.answer(ctx, params, (given) => source.handle(ctx, method, given))
    const { cursor } = params
    return source.list(method as ListMethod, ctx, cursor as string | undefined) as MaybePromise<JSONObject>
  }
  return Object.assign(passOn, { isDirect: true } as const) as DirectMiddleware
}

/** Several sources have no one answer to pass on: requests are checked, and results made of several are shaped as on any server. */
function answerFrom(
  front: FrontSource,
  passage: Passage,
  states: LayerStates,
  composite: CompositeFront,
): DirectMiddleware {
  const answer = async (
    ctx: ServerRequestContext,
    next: (params?: JSONObject) => MaybePromise<JSONObject | undefined>,
  ): Promise<JSONObject | undefined> => {
    const { method, params = NO_PARAMS } = ctx
    passage.check(ctx)
    await composite.whenReady()
    if (OWN.has(method)) return next()
    const { source } = front
    // The run of a task has no request any more.
    if (ctx.requestId === undefined && ctx.task === undefined) return tell(source, ctx, params)
    requireHandshake(ctx)
    const server = serverOfRequest(ctx)
    const owner = method.startsWith('tasks/') ? composite.sourceOfTask(params['taskId']) : undefined
    if (owner !== undefined) {
      checkOfClient(ctx, params)
      return owner.handle(ctx, method, params)
    }
    if (method.startsWith('tasks/')) return next()
    if (server.requestHandler(method) !== undefined) {
      const result = await next()
      if (method === 'logging/setLevel') await composite.setLevel(ctx, params)
      return result
    }
    checkOfClient(ctx, params)
    const result = isList(method)
      ? await source.list(method as ListMethod, ctx, params['cursor'] as string | undefined)
      : await states.answer(ctx, params, (given) => source.handle(ctx, method, given))
    const isFinished = findExtras(ctx)?.finished === (result as unknown)
    return isFinished ? (result as unknown as JSONObject) : respond(server, ctx, result)
  }
  return Object.assign(answer, { isDirect: true } as const) as DirectMiddleware
}

/** What a server that this one is mounted in asks for has been checked by that server. */
function checkOfClient(ctx: ServerRequestContext, params: JSONObject): void {
  const { method, protocolVersion } = ctx
  // A method of another revision may be that of an extension which a source has.
  const isKnown = outerRequestOf(ctx) === undefined && requestRow(method, protocolVersion, 'client') !== undefined
  if (isKnown) checkKnownRequest(method, protocolVersion, params)
}

function isList(method: string): boolean {
  return requestFacts(method)?.paged === true && !method.startsWith('tasks/')
}

function tell(source: Source, ctx: ServerRequestContext, params: JSONObject): Promise<undefined> | undefined {
  const told = source.notify?.(ctx, ctx.method, params)
  return isThenable(told) ? Promise.resolve(told).then(() => undefined) : undefined
}

function requireHandshake(ctx: ServerRequestContext): void {
  const connection = connectionOfRequest(ctx)
  if (connection.isInitialized) return
  if (!connection.isReady) {
    throw new MCPError(
      ErrorCode.InvalidRequest,
      `'${ctx.method}' before 'initialize': the connection is not initialized yet`,
    )
  }
  connection.markReady()
}

// The front of a proxy: a server that gives every request to its source as it came, and the answer back as it is.
import { isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { INNERMOST, type ServerSettings, SOURCE } from '../../server/core.ts'
import type { DirectMiddleware } from '../../server/handlers.ts'
import { Server, type ServerOptions } from '../../server/server.ts'
import type { ListMethod, Source } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { requestFacts } from '../../wire/method-rows.ts'

/** What the server answers itself: who it is, and that it is there. */
const OWN: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'notifications/initialized'])
const NO_PARAMS: JSONObject = Object.freeze({})

/** `source` may be replaced by one around it until the first request. */
export interface FrontSource {
  readonly source: Source
}

export function createFront(name: string, options: ServerOptions, front: FrontSource): Server {
  const settings: ServerSettings = { ...options, [SOURCE]: () => new Behind(front), [INNERMOST]: passOnTo(front) }
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

  async close(): Promise<void> {
    await this.#front.source.close?.()
  }
}

/** The innermost middleware. Requests are checked by nobody here: the answer of the source to bad params is the answer. */
function passOnTo(front: FrontSource): DirectMiddleware {
  const passOn: Omit<DirectMiddleware, 'isDirect'> = (
    ctx: ServerRequestContext,
    next: (params?: JSONObject) => MaybePromise<JSONObject | undefined>,
  ) => {
    const { method, params = NO_PARAMS } = ctx
    if (OWN.has(method)) return next()
    const { source } = front
    if (ctx.requestId === undefined) return tell(source, ctx, params)
    requireHandshake(ctx)
    if (requestFacts(method)?.paged !== true || method.startsWith('tasks/')) return source.handle(ctx, method, params)
    const { cursor } = params
    return source.list(method as ListMethod, ctx, cursor as string | undefined) as MaybePromise<JSONObject>
  }
  return Object.assign(passOn, { isDirect: true } as const) as DirectMiddleware
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

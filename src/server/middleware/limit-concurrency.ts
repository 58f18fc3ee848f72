// Lets only so many requests of a kind run at once; some wait in line, the rest are refused.
import type { JSONObject } from '../../types/json.ts'
import type { ServerRequestContext } from '../context.ts'
import type { Middleware, Next } from '../handlers.ts'
import { assertCount } from './numbers.ts'
import { type Refusal, RefusalCode, refuse, type ToolRefusal } from './refusal.ts'
import { keyByTool, type RequestKey } from './request-key.ts'
import { WaitingLine } from './waiting-line.ts'

export interface LimitConcurrencyOptions {
  /** Requests of one key at work at once. */
  max: number
  /** Requests of one key that may wait for their turn; none unless given. */
  maxWaiting?: number
  /** What shares a limit: each tool by itself, whoever calls it, unless given. */
  key?: RequestKey
  /** `error` unless given. */
  toolRefusal?: ToolRefusal
}

/**
 * A request that is cancelled leaves the line. The refusal is error 503. Put it inside `limitTime`, so that a place stays
 * taken until its handler has really ended.
 */
export function limitConcurrency(options: LimitConcurrencyOptions): Middleware {
  const { max, maxWaiting = 0, key: keyOf = keyByTool, toolRefusal = 'error' } = options
  assertCount('max', max, 1)
  assertCount('maxWaiting', maxWaiting, 0)
  const refusal = tooBusy(max, maxWaiting)
  /** Only those in use, so there are never more of them than requests. */
  const lines = new Map<string, WaitingLine>()

  return (ctx, next) => {
    const key = ctx.requestId === undefined ? undefined : keyOf(ctx)
    if (key === undefined) return next()
    const line = lines.get(key) ?? new WaitingLine(max, maxWaiting)
    if (line.isFull) return refuse(ctx, refusal, toolRefusal)
    lines.set(key, line)
    return runInTurn(line, ctx, next, () => lines.delete(key))
  }
}

async function runInTurn(
  line: WaitingLine,
  ctx: ServerRequestContext,
  next: Next,
  onEmpty: () => void,
): Promise<JSONObject | undefined> {
  if (!line.takePlace()) await line.waitForPlace(ctx.signal)
  try {
    return await next()
  } finally {
    line.giveBack()
    if (line.isEmpty) onEmpty()
  }
}

function tooBusy(max: number, maxWaiting: number): Refusal {
  const others = maxWaiting === 0 ? '' : ` and ${maxWaiting} wait for their turn`
  return {
    code: RefusalCode.TooBusy,
    message: `Too busy: ${max} such requests are being handled${others}. Try again when one of them is done`,
    data: { max, maxWaiting },
  }
}

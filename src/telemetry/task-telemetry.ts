// Telemetry of tasks: the span of a run is linked to that of the request that created the task, and tasks are counted.
import { isPlainObject } from '../primitives/json/objects.ts'
import type { ServerRequestContext } from '../server/context.ts'
import { keepTraceOf, traceOf } from '../server/kept-trace.ts'
import type { TaskChange } from '../server/task-run.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { PACKAGE_VERSION } from '../types/protocol/package-version.ts'
import {
  Attribute,
  type Attributes,
  type SpanContext,
  type TelemetryApi,
  type TraceContext,
  type TracingOptions,
} from './api.ts'
import type { TelemetryGuard } from './operation.ts'
import { injectContext } from './trace-context.ts'

/** Keeps the span of a call, for the task that the call may become. */
export function keepTrace(
  ctx: ServerRequestContext,
  api: TelemetryApi,
  context: TraceContext,
  guard: TelemetryGuard,
): void {
  const meta = guard.attempt(() => injectContext(api, context, undefined)?.['_meta'])
  if (isPlainObject(meta)) keepTraceOf(ctx, meta)
}

/** The span of the request that created the task of a run. */
export function linkToCreation(ctx: ServerRequestContext, api: TelemetryApi): { context: SpanContext }[] {
  const trace = traceOf(ctx)
  if (trace === undefined) return []
  const context = api.trace.getSpanContext(api.propagation.extract(api.context.active(), trace))
  return context === undefined ? [] : [{ context }]
}

/** What is known of a task when its run, or the call that created it, has ended. */
export function describeTask(ctx: ServerRequestContext, result: JSONObject | undefined): Attributes {
  if (ctx.task === undefined) {
    if (result?.['resultType'] !== 'task') return {}
    return { [Attribute.TaskId]: String(result['taskId']), [Attribute.TaskStatus]: String(result['status']) }
  }
  return { [Attribute.TaskStatus]: statusAfterRun(result, ctx.signal) }
}

function statusAfterRun(result: JSONObject | undefined, signal: AbortSignal): string {
  if (result === undefined) return signal.aborted ? 'cancelled' : 'failed'
  if (result['resultType'] === 'input_required') return 'input_required'
  return result['isError'] === true && signal.aborted ? 'cancelled' : 'completed'
}

/** Counts open, waiting, finished and expired tasks, by tool. Each is counted by the process that created it. */
export function countTasks({ api, attributes }: TracingOptions, guard: TelemetryGuard): (change: TaskChange) => void {
  let counters: ReturnType<typeof createCounters> | undefined
  return ({ tool, from, to, isExpired }) => {
    guard.attempt(() => {
      counters ??= createCounters(api)
      const { open, waiting, finished, expired } = counters
      const common = { [Attribute.ToolName]: tool, ...attributes }
      if (from === undefined) open?.add(1, common)
      if (to === 'input_required') waiting?.add(1, common)
      if (from === 'input_required') waiting?.add(-1, common)
      if (to === 'working' || to === 'input_required') return
      open?.add(-1, common)
      if (to === 'discarded') return
      finished?.add(1, { ...common, [Attribute.TaskStatus]: to })
      if (isExpired) expired?.add(1, common)
    })
  }
}

function createCounters(api: TelemetryApi) {
  const meter = api.metrics.getMeter('mcpwire', PACKAGE_VERSION)
  return {
    open: meter.createUpDownCounter?.('mcp.server.task.open', { description: 'Tasks that have not ended' }),
    waiting: meter.createUpDownCounter?.('mcp.server.task.waiting', { description: 'Tasks that wait for an answer' }),
    finished: meter.createCounter?.('mcp.server.task.finished', { description: 'Tasks that have ended' }),
    expired: meter.createCounter?.('mcp.server.task.expired', {
      description: 'Tasks that ended because nobody answered or ran them in time',
    }),
  }
}

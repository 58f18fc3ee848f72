// Trace context in `_meta`, where it reaches the other side over any transport.

import { isPlainObject, ownMember } from '../primitives/json/objects.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { TRACE_CONTEXT_META_KEYS } from '../types/protocol/meta.ts'
import type { SpanContext, TelemetryApi, TraceContext } from './api.ts'

/** The W3C lets a list of baggage have this many bytes; nothing else here is longer. */
const MAX_LENGTH = 8192

/** The params with the context in their `_meta`, or as they are where there is nothing to pass on. */
export function injectContext(
  api: TelemetryApi,
  context: TraceContext,
  params: JSONObject | undefined,
): JSONObject | undefined {
  const carrier: Record<string, unknown> = {}
  api.propagation.inject(context, carrier)
  const passedOn = pickTraceContext(carrier)
  if (passedOn === undefined) return params
  const meta = params?.['_meta']
  return { ...params, _meta: isPlainObject(meta) ? { ...meta, ...passedOn } : passedOn }
}

export interface Parentage {
  readonly parent: TraceContext
  /** What was going on here already, as the request of a transport, when the parent came with the message. */
  readonly links: { context: SpanContext }[]
}

/** The context that came with a message, over the one that is active here. */
export function extractContext(api: TelemetryApi, params: JSONObject | undefined): Parentage {
  const ambient = api.context.active()
  const carrier = pickTraceContext(ownMember(params, '_meta'))
  if (carrier === undefined) return { parent: ambient, links: [] }
  const parent = api.propagation.extract(ambient, carrier)
  const here = api.trace.getSpanContext(ambient)
  const isOther = here !== undefined && here.spanId !== api.trace.getSpanContext(parent)?.spanId
  return { parent, links: isOther ? [{ context: here }] : [] }
}

/** Only these keys and only what may be such a value, whoever wrote it there. */
function pickTraceContext(source: unknown): Record<string, string> | undefined {
  let picked: Record<string, string> | undefined
  for (const key of TRACE_CONTEXT_META_KEYS) {
    const value = ownMember(source, key)
    if (typeof value !== 'string' || value.length > MAX_LENGTH) continue
    picked ??= {}
    picked[key] = value
  }
  return picked
}

// Trace context in `_meta`, which reaches the other side over any transport.
import { isPlainObject, ownMember } from '../primitives/json/objects.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { TRACE_CONTEXT_META_KEYS } from '../types/protocol/meta.ts'
import type { SpanContext, TelemetryApi, TraceContext } from './api.ts'

/** The limit of W3C Baggage in bytes; the other values are shorter. */
const MAX_LENGTH = 8192

/** The params with the context in their `_meta`; unchanged if there is no context to pass on. */
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

export interface TraceParent {
  readonly parent: TraceContext
  /** The span that was active here, such as that of an HTTP request, if the parent came with the message. */
  readonly links: { context: SpanContext }[]
}

/** The context of a message, or the active one if it has none. */
export function extractContext(api: TelemetryApi, params: JSONObject | undefined): TraceParent {
  const ambient = api.context.active()
  const carrier = pickTraceContext(ownMember(params, '_meta'))
  if (carrier === undefined) return { parent: ambient, links: [] }
  const parent = api.propagation.extract(ambient, carrier)
  const here = api.trace.getSpanContext(ambient)
  const isOther = here !== undefined && here.spanId !== api.trace.getSpanContext(parent)?.spanId
  return { parent, links: isOther ? [{ context: here }] : [] }
}

/** Only the known keys with plausible values: a peer wrote them. */
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

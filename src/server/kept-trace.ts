// The trace context of a message, for the task that its call may become. A file of its own, without the context: who traces
// requests does not load a server.
import type { DispatchContext } from '../dispatcher/dispatcher.ts'
import type { JSONObject } from '../types/protocol/json.ts'

/** By the message, which all its contexts share. */
const traces = new WeakMap<DispatchContext, JSONObject>()

/** Keeps the trace context of the span of a request or, in a run, of the request that created its task. */
export function keepTraceOf({ dispatch }: { readonly dispatch: DispatchContext }, trace: JSONObject): void {
  traces.set(dispatch, trace)
}

export function traceOf({ dispatch }: { readonly dispatch: DispatchContext }): JSONObject | undefined {
  return traces.get(dispatch)
}

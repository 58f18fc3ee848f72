// Which requests a limit is for, unless its author names others. None of those that open or keep a connection: a client that
// is refused there cannot even learn why.
import type { ServerRequestContext } from '../context.ts'

/** Requests that make code of the author's work for one caller. */
export const CALLS = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete'] as const

/** Calls whose result goes to a model, that of a task included. */
export const CONTENT_CALLS = ['tools/call', 'prompts/get', 'resources/read', 'tasks/result'] as const

/** Whether a message is a request of one of these methods. */
export function createMethodTest(methods: readonly string[]): (ctx: ServerRequestContext) => boolean {
  const counted = new Set(methods)
  return ({ requestId, method }) => requestId !== undefined && counted.has(method)
}

// Reports a `ctx.background()` that can never have an effect. A client that takes no tasks is no reason: others may.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { TOOL_OPTION_OWNERS } from '../extensions/owners.ts'
import type { Host } from './host.ts'

/** What was reported: the handlers of tools, and for each server the methods that have no tools. */
const reportedTools = new WeakSet<object>()
const reportedMethods = new WeakMap<Host, Set<string>>()

/** Once per tool, so that the log does not repeat it. */
export function reportNoBackground(host: Host, request: ServerRequestContext): void {
  const { method, params } = request
  const name = isPlainObject(params) ? params['name'] : undefined
  const tool = method === 'tools/call' && typeof name === 'string' ? host.findTool(name) : undefined
  if (tool?.isTask === true) return
  if (tool === undefined) reportMethod(host, method)
  else if (!reportedTools.has(tool)) {
    reportedTools.add(tool)
    const set = `Set task: 'manual' on the tool.`
    const remedy = host.toolOptions.has('task')
      ? set
      : `Add ${TOOL_OPTION_OWNERS.task.add} to the option extensions of the server. ${set}`
    report(host, `ctx.background() has no effect in the ${tool.owner}, which has no option task`, remedy)
  }
}

function reportMethod(host: Host, method: string): void {
  const reported = reportedMethods.get(host) ?? new Set()
  reportedMethods.set(host, reported)
  if (reported.has(method)) return
  reported.add(method)
  report(
    host,
    `ctx.background() has no effect in '${method}'`,
    'Call it in a tool with the option task: only calls of tools become tasks.',
  )
}

function report({ server }: Host, message: string, remedy: string): void {
  server.faults.report({ kind: 'configuration-warning', message: `${message}. ${remedy}` })
}

// What a listing of revision 2025-11-25 says about calling a tool as a task.
import type { Tool, ToolExecution } from '../../../types/features/tools.ts'

export type TaskSupport = NonNullable<ToolExecution['taskSupport']>

/** The tool as legacy clients see it. Listings of older revisions leave `execution` out, since they don't have it. */
export function listTaskSupport(tool: Tool, era: 'legacy' | 'modern', taskSupport: TaskSupport): Tool {
  return era === 'legacy' ? { ...tool, execution: { ...tool.execution, taskSupport } } : tool
}

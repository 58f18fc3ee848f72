// What the author of a client with tasks writes.
import type { CallToolResult, Client } from 'mcpwire'
import {
  type Job,
  type TaskCancelledError,
  type TaskMode,
  type TaskOptions,
  type TaskPendingError,
  type TaskReference,
  type TaskReferences,
  type TaskState,
  tasks,
} from 'mcpwire/extensions/tasks'
import { fileTaskReferences } from 'mcpwire/node'

const own: TaskReferences = { add: () => {}, remove: async () => {}, list: () => [] }
export const mode: TaskMode = 'always'
export const options: TaskOptions = { mode, promoteAfterMs: 1_000, holds: true }
export const plain: TaskOptions = { mode: true }
export const extensions = [tasks(), tasks({ references: own, watch: 'auto' }), tasks({ watch: false })]
export const stored = tasks({ references: fileTaskReferences('tasks.json') })

export async function use(client: Client, saved: TaskReference): Promise<void> {
  const result: CallToolResult = await client.callTool(
    'report',
    {},
    {
      onStatus: (task: TaskState) => console.log(task.taskId, task.status, task.statusMessage),
      onStop: 'leave',
      leaveAfterMs: 1_000,
    },
  )
  const job: Job = await client.tasks.start('report', { quarter: 'Q3' }, { maxTotalMs: 5_000 })
  const reference: TaskReference | undefined = job.reference
  for await (const { status, statusMessage, result: inner } of job) console.log(status, statusMessage, inner?.content)
  await client.tasks.resume(saved).result({ signal: AbortSignal.timeout(1_000), onStatus: ({ taskId }) => void taskId })
  await client.tasks.update('id', { key: { action: 'decline' } })
  for await (const { taskId } of client.tasks.list()) await client.tasks.cancel(taskId)
  console.log(result.content, reference?.dialect === 'core', (await client.tasks.pending()).length)

  // @ts-expect-error: a call is cancelled or left
  await client.callTool('report', {}, { onStop: 'forget' })
  // @ts-expect-error: a reference has more than an id
  client.tasks.resume({ taskId: 'id' })
  // @ts-expect-error: the id may be missing where the server returned the result at once
  const id: string = job.taskId
  // @ts-expect-error: there are three values
  tasks({ watch: 'always' })
  // @ts-expect-error: answers are results of questions
  await client.tasks.update('id', { key: 'yes' })
  console.log(id)
}

export function explain(error: TaskPendingError | TaskCancelledError): string {
  return 'job' in error ? error.job.state.status : error.state.taskId
}

// The tasks that this machine has started, in a file of the user: `call --task` adds to it, and `tasks` reads it.
import type { TaskReference, TaskReferences } from 'mcpwire/extensions/tasks'
import { tasks } from 'mcpwire/extensions/tasks'
import { fileTaskReferences } from 'mcpwire/node'
import { configFile } from './user-files.ts'

function keptFile(): TaskReferences {
  return fileTaskReferences(configFile('tasks.json'))
}

/** For calls: what has ended is forgotten. */
export function taskExtension() {
  return tasks({ references: keptFile() })
}

/** For commands about tasks: the end of a task is no reason to forget it, because its result can be asked for again. */
export function keepingTaskExtension() {
  return tasks({ references: { ...keptFile(), remove: () => {} } })
}

/** All of them, of all servers, without those that their servers keep no longer. */
export async function listKeptTasks(now = Date.now()): Promise<TaskReference[]> {
  const kept = keptFile()
  const references = await kept.list()
  const isOver = ({ createdAt, ttlMs }: TaskReference) => ttlMs !== null && Date.parse(createdAt) + ttlMs < now
  for (const reference of references.filter(isOver)) await kept.remove(reference)
  return references.filter((reference) => !isOver(reference))
}

/** The server does not know it any more. */
export async function forgetTask(reference: TaskReference): Promise<void> {
  await keptFile().remove(reference)
}

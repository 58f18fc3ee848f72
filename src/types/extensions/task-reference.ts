// Recognises references of tasks, which come from where a program has kept them.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { TaskReference } from './tasks.ts'

export function isTaskReference(value: unknown): value is TaskReference {
  if (!isPlainObject(value)) return false
  const { server, taskId, tool, createdAt, ttlMs, dialect } = value
  const isText = [server, taskId, tool, createdAt].every((member) => typeof member === 'string')
  const isTime = ttlMs === null || typeof ttlMs === 'number'
  return isText && taskId !== '' && isTime && (dialect === 'core' || dialect === 'extension')
}

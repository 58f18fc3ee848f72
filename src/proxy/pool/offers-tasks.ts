// Whether a source can run tools as tasks, in the words of its era.
import { TASKS_EXTENSION } from '../../types/extensions/tasks.ts'
import type { OpenUpstream } from '../back/open-upstream.ts'

export function offersTasks({ client, era }: OpenUpstream): boolean {
  const capabilities = client.session.serverCapabilities
  if (era === 'modern') return capabilities?.extensions?.[TASKS_EXTENSION] !== undefined
  return capabilities?.tasks?.requests?.tools?.call !== undefined
}

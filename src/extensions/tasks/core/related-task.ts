// The tag of revision 2025-11-25 that says which task a message belongs to.
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { RELATED_TASK_META_KEY } from '../../../types/protocol/meta.ts'

/** A copy of params or of a result with the tag. What else `_meta` holds stays. */
export function withRelatedTask(message: JSONObject, taskId: string): JSONObject {
  const meta = message['_meta']
  return { ...message, _meta: { ...(isPlainObject(meta) ? meta : {}), [RELATED_TASK_META_KEY]: { taskId } } }
}

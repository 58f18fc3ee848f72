// Ids of tasks: 32 random bytes each, which nobody can guess.

import { encodeBase64Url } from '../../../../primitives/base64.ts'
import { ErrorCode } from '../../../../types/errors/error-codes.ts'
import { MCPError } from '../../../../types/errors/errors.ts'

const ID_BYTES = 32
const TASK_ID = /^[\w-]{43}$/

/** Random bytes for many ids: asking for them costs more than the bytes do. */
const pool = new Uint8Array(ID_BYTES * 64)
let used = pool.length

export function createTaskId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + ID_BYTES)
  used += ID_BYTES
  const id = encodeBase64Url(bytes)
  bytes.fill(0)
  return id
}

/** Whether a text can be the id of a task. */
export function isTaskId(text: string): boolean {
  return TASK_ID.test(text)
}

/** One message for every reason, so that a stranger can't tell them apart. */
export function unknownTask(): MCPError {
  return new MCPError(
    ErrorCode.InvalidParams,
    'Unknown task. It does not exist, has expired, or belongs to another caller.',
  )
}

// The cursor of `tasks/list`: opaque to clients, and good even when the task that it names has gone since.
import { decodeBase64UrlText, encodeBase64UrlText } from '../../../primitives/base64.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'

/** The last task of a page. */
export interface Bookmark {
  readonly id: string
  readonly createdAt: number
}

const MAX_CURSOR_LENGTH = 256
const TASK_ID = /^[\w-]{1,128}$/

export function encodeCursor({ id, createdAt }: Bookmark): string {
  return encodeBase64UrlText(`${createdAt}.${id}`)
}

/** Throws `MCPError` -32602 for a text that this server has not written. */
export function decodeCursor(cursor: string): Bookmark {
  const text = cursor.length > MAX_CURSOR_LENGTH ? undefined : decodeBase64UrlText(cursor)
  const [, time = '', id = ''] = /^(\d{1,16})\.(.*)$/.exec(text ?? '') ?? []
  const createdAt = Number(time)
  if (time === '' || !Number.isSafeInteger(createdAt) || !TASK_ID.test(id)) throw invalidCursor()
  return { id, createdAt }
}

function invalidCursor(): MCPError {
  return new MCPError(
    ErrorCode.InvalidParams,
    'Invalid cursor for tasks/list. Use nextCursor of the page before, unchanged.',
  )
}

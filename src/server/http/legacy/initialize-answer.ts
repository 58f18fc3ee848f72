// The answer to `initialize` where other nodes serve the session, too: a client that has its id may use any node with its next request.
import type { FaultReporter } from '../../../dispatcher/fault.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import type { ErrorData, JSONRPCMessage } from '../../../types/protocol/jsonrpc.ts'
import type { PostReply } from '../answers/post-reply.ts'
import { RETRY_LATER } from '../answers/reply.ts'

const NOT_STORED: ErrorData = Object.freeze({
  code: ErrorCode.InternalError,
  message: 'The server could not store the session. Try again later.',
})

/** Answers once `storing` resolves, and with 503 where it rejects. */
export async function answerWhenStored(
  storing: Promise<void>,
  reply: PostReply,
  message: JSONRPCMessage,
  faults: FaultReporter,
): Promise<void> {
  try {
    await storing
  } catch (error) {
    faults.report({ kind: 'transport', message: 'A session was not stored.', error })
    const [id] = reply.ids
    reply.headers = () => RETRY_LATER
    if (id !== undefined) reply.reject(id, NOT_STORED, 503)
    return
  }
  await reply.answer(message)
}

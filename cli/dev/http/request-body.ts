// The body of a request, kept so that it can be sent again.
import type { IncomingMessage } from 'node:http'

/** More than a server takes by default: its answer to a larger body is an error, which needs the body to be sent. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

export interface RequestBody {
  body: Buffer | undefined
  /** False for a body that is cut: the server rejects it by its size. */
  isWhole: boolean
}

/** `gone`: the client has ended before its body did. */
export async function readRequestBody(request: IncomingMessage): Promise<RequestBody | 'gone'> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE') {
    return { body: undefined, isWhole: true }
  }
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
    }
  } catch {
    return 'gone'
  }
  return { body: Buffer.concat(chunks), isWhole: bytes <= MAX_BODY_BYTES }
}

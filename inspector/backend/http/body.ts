// Reads the JSON body of a request, within a limit.
import type { IncomingMessage } from 'node:http'
import { decodeMessage, SERVER_LIMITS } from 'mcpwire/dispatcher'
import { BadRequest } from '../log/bad-request.ts'

export const MAX_BODY_BYTES = 4 * 1024 * 1024

export async function readObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  let value: unknown
  try {
    value = decodeMessage(Buffer.concat(chunks).toString('utf8'), LIMITS)
  } catch (error) {
    throw new BadRequest(`The body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadRequest('The body must be a JSON object.')
  }
  return value as Record<string, unknown>
}

const LIMITS = { ...SERVER_LIMITS, maxBytes: MAX_BODY_BYTES }

function tooLarge(): BadRequest {
  return new BadRequest(`The body is larger than ${MAX_BODY_BYTES} bytes.`, { status: 413 })
}

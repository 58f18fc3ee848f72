// Reads and writes the few messages that the relay looks into or sends itself.
import { CLIENT_LIMITS, decodeMessage } from 'mcpwire/dispatcher'
import { isPlainObject } from '../../terminal/primitives.ts'

export type Params = Record<string, unknown>

/** `undefined` for a message that breaks a limit or is no object. */
export function readMessage(line: Uint8Array): Params | undefined {
  try {
    const message = decodeMessage(line, CLIENT_LIMITS)
    return isPlainObject(message) ? message : undefined
  } catch {
    return undefined
  }
}

export function readParams(line: Uint8Array): Params {
  const params = readMessage(line)?.['params']
  return isPlainObject(params) ? params : {}
}

/** The messages of a batch (2025-03-26). */
export function readBatch(line: Uint8Array): Params[] {
  try {
    const batch = decodeMessage(line, CLIENT_LIMITS)
    return Array.isArray(batch) ? batch.filter(isPlainObject) : []
  } catch {
    return []
  }
}

export function toLine(message: Params): Buffer {
  return Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

export function notification(method: string, params?: Params): Params {
  return { jsonrpc: '2.0', method, ...(params !== undefined && { params }) }
}

const CONNECTION_CLOSED = -32_000

export type Reason = 'reloaded' | 'exited' | 'not-loaded'

const MESSAGES: Record<Reason, string> = {
  reloaded: 'The server was reloaded while this call was running',
  exited: 'The server exited while this call was running',
  'not-loaded': 'The server is not running. See the terminal of mcpwire dev for the reason',
}

/** The answer to a request that no server finishes. `id` is JSON. */
export function failure(id: string, reason: Reason): Params {
  const error = { code: CONNECTION_CLOSED, message: MESSAGES[reason], data: { reason } }
  return { jsonrpc: '2.0', id: JSON.parse(id) as unknown, error }
}

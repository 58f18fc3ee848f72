// How a request and its answer are printed.
import { isPlainObject } from '../../terminal/primitives.ts'
import type { FinishedCall } from '../front.ts'
import { type Params, readMessage } from './messages.ts'

/** Requests that a person makes. Others are noise. */
export const PRINTED_METHODS = new Set(['tools/call', 'resources/read', 'prompts/get'])

export function nameOfCall(method: string, params: Params): string {
  const name = method === 'resources/read' ? params['uri'] : params['name']
  return typeof name === 'string' ? name : method
}

export function describeAnswer(answer: Params | undefined): FinishedCall['error'] {
  const { error, result } = (answer ?? {}) as { error?: unknown; result?: unknown }
  if (isPlainObject(error)) return String(error['message'] ?? 'error')
  if (!isPlainObject(result) || result['isError'] !== true) return undefined
  const blocks = Array.isArray(result['content']) ? result['content'] : []
  const text = blocks.find((block) => isPlainObject(block) && typeof block['text'] === 'string') as Params | undefined
  return String(text?.['text'] ?? 'error')
}

const MAX_ANSWER_BYTES = 1024 * 1024

interface PrintedRequest {
  readonly method: string
  readonly name: string
  readonly startedAt: number
}

/** `undefined` for a request that is not printed. A large answer is not read to find out whether it is an error. */
export function finishedCall({ method, name, startedAt }: PrintedRequest, line: Buffer): FinishedCall | undefined {
  if (!PRINTED_METHODS.has(method)) return undefined
  const answer = line.length > MAX_ANSWER_BYTES ? undefined : readMessage(line)
  return { name, ms: performance.now() - startedAt, error: describeAnswer(answer) }
}

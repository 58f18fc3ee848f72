// A scripted HTTP server for tests: a `fetch` that responds as the script says and records its requests.
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { LATEST_LEGACY_VERSION } from '../../../../src/types/protocol/versions.ts'

export const ENDPOINT = 'http://localhost:3000/mcp'

export interface SeenRequest {
  readonly method: string
  readonly headers: Record<string, string>
  /** The parsed body; empty where there was none. */
  readonly message: JSONObject
  readonly signal: AbortSignal | undefined
}

export type Answer = Response | Promise<Response>

export class ScriptedHttp {
  readonly requests: SeenRequest[] = []
  readonly #answer: (request: SeenRequest) => Answer

  constructor(answer: (request: SeenRequest) => Answer) {
    this.#answer = answer
  }

  readonly fetch: typeof globalThis.fetch = async (_url, init = {}) => {
    const request: SeenRequest = {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      message: typeof init.body === 'string' ? (JSON.parse(init.body) as JSONObject) : {},
      signal: init.signal ?? undefined,
    }
    this.requests.push(request)
    return this.#answer(request)
  }

  /** What was sent of this JSON-RPC method. */
  sent(method: string): SeenRequest[] {
    return this.requests.filter(({ message }) => message['method'] === method)
  }

  withMethod(httpMethod: string): SeenRequest[] {
    return this.requests.filter(({ method }) => method === httpMethod)
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}

export function result({ message }: SeenRequest, value: JSONObject, headers?: Record<string, string>): Response {
  return json({ jsonrpc: '2.0', id: message['id'], result: value }, 200, headers)
}

export function error({ message }: SeenRequest, code: number, status: number, id: unknown = message['id']): Response {
  return json({ jsonrpc: '2.0', id, error: { code, message: `error ${code}` } }, status)
}

/** What `fetch` throws when nobody listens there. */
export function refused(): Promise<never> {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  return Promise.reject(new TypeError('fetch failed', { cause }))
}

export function cutOff(): Error {
  return new TypeError('terminated', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  })
}

/** An answer that is never given, until the request is aborted. */
export function never({ signal }: SeenRequest): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}

/** A stream of events that the test writes. What was written before it is cut is read first. */
export class EventBody {
  readonly response: Response
  isCancelled = false
  readonly #steps: ((controller: ReadableStreamDefaultController<Uint8Array>) => void)[] = []
  #wake: (() => void) | undefined

  constructor(headers: Record<string, string> = {}) {
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          while (this.#steps.length === 0 && !this.isCancelled) await this.#nextStep()
          this.#steps.shift()?.(controller)
        },
        cancel: () => {
          this.isCancelled = true
          this.#wake?.()
        },
      },
      { highWaterMark: 0 },
    )
    this.response = new Response(body, { headers: { 'content-type': 'text/event-stream', ...headers } })
  }

  write(text: string): this {
    return this.#then((controller) => controller.enqueue(new TextEncoder().encode(text)))
  }

  send(message: unknown, id?: string): this {
    return this.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`)
  }

  /** An event that only says where to resume. */
  prime(id: string): this {
    return this.write(`id: ${id}\ndata:\n\n`)
  }

  end(): this {
    return this.#then((controller) => controller.close())
  }

  /** The connection breaks. */
  cut(): this {
    return this.#then((controller) => controller.error(cutOff()))
  }

  #nextStep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #then(step: (controller: ReadableStreamDefaultController<Uint8Array>) => void): this {
    this.#steps.push(step)
    this.#wake?.()
    return this
  }
}

export const answerTo = ({ message }: SeenRequest, value: JSONObject) => ({
  jsonrpc: '2.0',
  id: message['id'],
  result: value,
})

/** The result of a handshake, in a session of this name. */
export function welcome(
  request: SeenRequest,
  sessionId?: string,
  protocolVersion: string = LATEST_LEGACY_VERSION,
): Response {
  const value = {
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: 'scripted', version: '1' },
  }
  return result(request, value, sessionId === undefined ? {} : { 'mcp-session-id': sessionId })
}

export const accepted = () => new Response(null, { status: 202 })
export const TEXT = { content: [{ type: 'text', text: 'done' }] }
export const COMPLETE = { resultType: 'complete', ...TEXT }

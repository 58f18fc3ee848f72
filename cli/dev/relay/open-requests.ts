// Requests of a client that wait for their answer, and whether they may be sent again to another version of the server.
import type { Link } from './link.ts'
import { readBatch } from './messages.ts'

export interface OpenRequest {
  /** As JSON. */
  readonly id: string
  readonly method: string
  /** `undefined` for one that is too large to be kept, or part of a batch. */
  readonly line: Buffer | undefined
  readonly name: string
  /** Of `tools/call`. */
  readonly tool: string | undefined
  readonly startedAt: number
  /** Who works on it; `undefined` while there is nobody. */
  link: Link | undefined
  /** Ends its wait for a server. */
  timer?: NodeJS.Timeout
}

/** Lines that are kept to be sent again. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024

export class OpenRequests {
  readonly #requests = new Map<string, OpenRequest>()
  #keptBytes = 0
  readonly #onSettled = new Set<() => void>()

  add(request: OpenRequest): OpenRequest {
    const kept =
      (request.line?.length ?? 0) + this.#keptBytes > MAX_KEPT_BYTES ? { ...request, line: undefined } : request
    this.#keptBytes += kept.line?.length ?? 0
    this.#requests.set(kept.id, kept)
    return kept
  }

  get(id: string): OpenRequest | undefined {
    return this.#requests.get(id)
  }

  settle(id: string): OpenRequest | undefined {
    const request = this.#requests.get(id)
    if (request === undefined) return undefined
    clearTimeout(request.timer)
    this.#requests.delete(id)
    this.#keptBytes -= request.line?.length ?? 0
    for (const listener of this.#onSettled) listener()
    return request
  }

  of(link: Link | undefined): OpenRequest[] {
    return [...this.#requests.values()].filter((request) => request.link === link)
  }

  /** Resolves when none that counts is open, or after a time. */
  async drain(counts: (request: OpenRequest) => boolean, ms: number): Promise<void> {
    const isOpen = () => [...this.#requests.values()].some(counts)
    if (!isOpen()) return
    let check = () => {}
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      check = () => {
        if (isOpen()) return
        clearTimeout(timer)
        resolve()
      }
      this.#onSettled.add(check)
    })
    this.#onSettled.delete(check)
  }

  get size(): number {
    return this.#requests.size
  }
}

/** Requests of a batch (2025-03-26). They are sent and answered together, and not again. */
export function batchRequests(line: Buffer): Omit<OpenRequest, 'link'>[] {
  return readBatch(line).flatMap(({ id, method }) => {
    if (typeof method !== 'string' || id === undefined) return []
    return [
      {
        id: JSON.stringify(id),
        method,
        line: undefined,
        name: method,
        tool: undefined,
        startedAt: performance.now(),
      },
    ]
  })
}

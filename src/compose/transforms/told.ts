// What is wrong with a transform and shows only with a component: told once.
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'

const MAX_TOLD = 1_000

export class Told {
  readonly #told = new Set<string>()

  tell(request: ServerRequestContext | undefined, message: string): void {
    if (request === undefined || this.#told.has(message) || this.#told.size >= MAX_TOLD) return
    this.#told.add(message)
    serverOfRequest(request).faults.report({ kind: 'configuration-warning', message })
  }
}

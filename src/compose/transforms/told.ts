// What is wrong with a transform and shows only with a component: told once.
import { Once } from '../../primitives/once.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'

export class Told {
  readonly #once = new Once()

  tell(request: ServerRequestContext | undefined, message: string): void {
    if (request !== undefined && this.#once.isNew(message))
      serverOfRequest(request).faults.report({ kind: 'configuration-warning', message })
  }
}

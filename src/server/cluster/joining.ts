// How a server with a backend joins the other nodes. What that takes is loaded when it starts: most servers run in one process.

import { loading } from '../../primitives/loading.ts'
import type { WithinLifespan } from '../lifespan/lifespan.ts'
import type { ClusterNode } from './cluster-node.ts'
import type { Membership } from './membership.ts'

export class Joining implements WithinLifespan {
  readonly #parts: ConstructorParameters<typeof Membership>
  #membership: Membership | undefined

  constructor(...parts: ConstructorParameters<typeof Membership>) {
    this.#parts = parts
  }

  /** `undefined` while the server does not run. */
  get node(): ClusterNode | undefined {
    return this.#membership?.node
  }

  async start(): Promise<() => Promise<void>> {
    const { Membership } = await loading(import('./membership.ts'))
    this.#membership ??= new Membership(...this.#parts)
    return this.#membership.start()
  }
}

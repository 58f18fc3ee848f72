// A server on a backend is one node of several: it opens the backend and joins the other nodes while it runs.
import type { Backend } from '../backend/backend.ts'
import { useBackend } from '../backend/use-backend.ts'
import type { FaultReporter } from '../dispatcher/fault.ts'
import type { ClusterNode } from './cluster/cluster-node.ts'
import type { WithinLifespan } from './lifespan.ts'

export class Membership implements WithinLifespan {
  readonly #backend: Backend
  readonly #namespace: string
  readonly #faults: FaultReporter
  #node: ClusterNode | undefined

  /** The backend is opened under the name of the server, where it has no namespace of its own. */
  constructor(backend: Backend, namespace: string, faults: FaultReporter) {
    this.#backend = backend
    this.#namespace = namespace
    this.#faults = faults
  }

  /** `undefined` while the server does not run. */
  get node(): ClusterNode | undefined {
    return this.#node
  }

  async start(): Promise<() => Promise<void>> {
    const report = (message: string) => this.#faults.report({ kind: 'configuration-warning', message })
    const release = await useBackend(this.#backend, { namespace: this.#namespace, report })
    try {
      // Loaded here: most servers run in one process.
      const { startNode } = await import('./cluster/cluster-node.ts')
      this.#node = await startNode(this.#backend, this.#faults)
    } catch (error) {
      await release()
      throw error
    }
    return async () => {
      const node = this.#node
      this.#node = undefined
      await node?.close()
      await release()
    }
  }
}

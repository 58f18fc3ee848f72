// A server on a backend is one node of several: it opens the backend and joins the other nodes while it runs. Loaded when one starts.
import type { Backend } from '../../backend/backend.ts'
import { useBackend } from '../../backend/use-backend.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { type ClusterNode, startNode } from './cluster-node.ts'

/** Begins what goes on between this node and the others while the server runs. */
type Join = (node: ClusterNode) => Promise<{ close(): Promise<void> } | undefined>

export class Membership {
  readonly #backend: Backend
  readonly #namespace: string
  readonly #faults: FaultReporter
  readonly #join: Join
  #node: ClusterNode | undefined

  /** The backend is opened under the name of the server, where it has no namespace of its own. */
  constructor(backend: Backend, namespace: string, faults: FaultReporter, join: Join) {
    this.#backend = backend
    this.#namespace = namespace
    this.#faults = faults
    this.#join = join
  }

  /** `undefined` while the server does not run. */
  get node(): ClusterNode | undefined {
    return this.#node
  }

  async start(): Promise<() => Promise<void>> {
    const report = (message: string) => this.#faults.report({ kind: 'configuration-warning', message })
    const release = await useBackend(this.#backend, { namespace: this.#namespace, report })
    let leave: { close(): Promise<void> } | undefined
    try {
      this.#node = await startNode(this.#backend, this.#faults)
      leave = await this.#join(this.#node)
    } catch (error) {
      await this.#stop(release)
      throw error
    }
    return async () => {
      await leave?.close()
      await this.#stop(release)
    }
  }

  async #stop(release: () => Promise<void>): Promise<void> {
    const node = this.#node
    this.#node = undefined
    try {
      await node?.close()
    } finally {
      await release()
    }
  }
}

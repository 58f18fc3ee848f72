// The subscriptions of a connection: changes of its lists, and of resources that the user chose.
import type { Client } from 'mcpwire'
import type { ConnectionState } from '../../protocol/state.ts'
import { BadRequest } from '../log/bad-request.ts'

const MAX_RESOURCES = 64

interface Watched {
  updates: number
  readonly end: () => void
}

export class Watches {
  readonly #resources = new Map<string, Watched>()
  readonly #onChange: () => void
  readonly #onFailure: (message: string) => void
  #lists: AbortController | undefined

  constructor(onChange: () => void, onFailure: (message: string) => void) {
    this.#onChange = onChange
    this.#onFailure = onFailure
  }

  get states(): ConnectionState['subscriptions'] {
    return [...this.#resources].map(([uri, { updates }]) => ({ uri, updates }))
  }

  /** Calls back with the name of each change. A server that announces none is left alone. */
  followLists(client: Client, onListChange: (change: string) => void): void {
    const { tools, resources, prompts } = client.serverCapabilities
    const filter = {
      ...(tools?.listChanged === true && { toolsListChanged: true }),
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
    }
    if (Object.keys(filter).length === 0) return
    const abort = new AbortController()
    this.#lists = abort
    void this.#follow(client, filter, abort.signal, ({ type }) => onListChange(type))
  }

  async watch(client: Client, uri: string): Promise<void> {
    if (this.#resources.has(uri)) return
    if (this.#resources.size >= MAX_RESOURCES) {
      throw new BadRequest(`At most ${MAX_RESOURCES} resources can be subscribed to.`, { status: 409 })
    }
    const abort = new AbortController()
    const watched: Watched = { updates: 0, end: () => abort.abort(new Error('Unsubscribed.')) }
    const subscription = await client.listen({ resourceSubscriptions: [uri] })
    abort.signal.addEventListener('abort', () => void subscription.close())
    this.#resources.set(uri, watched)
    this.#onChange()
    void this.#read(subscription, abort.signal, () => {
      watched.updates += 1
      this.#onChange()
    }).finally(() => this.unwatch(uri))
  }

  unwatch(uri: string): void {
    const watched = this.#resources.get(uri)
    if (watched === undefined) return
    this.#resources.delete(uri)
    watched.end()
    this.#onChange()
  }

  clear(): void {
    this.#lists?.abort(new Error('Disconnected.'))
    for (const uri of [...this.#resources.keys()]) this.unwatch(uri)
  }

  async #follow(
    client: Client,
    filter: object,
    signal: AbortSignal,
    onEvent: (event: { type: string }) => void,
  ): Promise<void> {
    try {
      const subscription = await client.listen(filter)
      if (signal.aborted) return void subscription.close()
      signal.addEventListener('abort', () => void subscription.close())
      await this.#read(subscription, signal, onEvent)
    } catch (error) {
      if (!signal.aborted) this.#onFailure(`Changes of lists are not announced: ${String(error)}`)
    }
  }

  async #read(
    subscription: AsyncIterable<{ type: string }>,
    signal: AbortSignal,
    onEvent: (event: { type: string }) => void,
  ): Promise<void> {
    try {
      for await (const event of subscription) onEvent(event)
    } catch (error) {
      if (!signal.aborted) this.#onFailure(`A subscription ended: ${String(error)}`)
    }
  }
}

// What the five parts of a backend on Redis share.
import type { Channels } from './connection/channels.ts'
import type { Engine } from './connection/engine.ts'

export interface RedisParts {
  readonly engine: Engine
  readonly channels: Channels
  readonly maxValueBytes: number
  /** The keys of the namespace, which the first `open` may decide. Rejects where the backend is closed. */
  keys(operation: string): Keys | Promise<Keys>
}

/** Names never have braces, so that what is in braces is the hash tag of a cluster. */
export class Keys {
  readonly namespace: string
  readonly #prefix: string

  constructor(namespace: string) {
    this.namespace = namespace
    this.#prefix = `${namespace}:v1:`
  }

  readonly record = (key: string): string => `${this.#prefix}r:${key}`

  /** The list, which is the channel as well, and what is known about it. */
  readonly log = (log: string): [list: string, about: string] => {
    const list = `${this.#prefix}l:{${log}}`
    return [list, `${list}:a`]
  }

  readonly topic = (topic: string): string => `${this.#prefix}p:${topic}`

  readonly bucket = (key: string): string => `${this.#prefix}b:${key}`

  readonly places = (key: string): string => `${this.#prefix}h:${key}`

  readonly queue = (index: number): string => `${this.#prefix}t:{${this.namespace}.${index}}`

  /** For scripts: see `scripts/task-common.ts`. */
  readonly queueKeys = (index: number): [queue: string, never: string] => {
    const queue = this.queue(index)
    return [queue, `${queue}:never`]
  }

  /** Which server uses the namespace. */
  get fingerprint(): string {
    return `${this.#prefix}server`
  }

  /** Written by `health`. */
  get probe(): string {
    return `${this.#prefix}probe`
  }
}

// What extensions let clients watch: members of the filter of `subscriptions/listen` that are theirs, each a list of keys.
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import { ownMember } from '../wire/own.ts'
import { requireClientExtension } from './client-extension.ts'
import type { ServerRequestContext } from './context.ts'
import type { ExtensionWatch } from './extension.ts'
import type { ChangeNotification, ExtensionChange } from './subscriptions.ts'
import { ALL_CHANGES } from './subscriptions-filter.ts'

/** Keys that one subscription may name, in each member of its filter. */
const MAX_KEYS = 1024

interface OwnedWatch {
  readonly identifier: string
  readonly watch: ExtensionWatch
}

export class ExtensionWatches {
  readonly #watches = new Map<string, OwnedWatch>()

  get isEmpty(): boolean {
    return this.#watches.size === 0
  }

  /** Throws `TypeError` for a member that is taken. */
  add(identifier: string, filter: string, watch: ExtensionWatch): void {
    if (Object.hasOwn(ALL_CHANGES, filter)) {
      throw new TypeError(`The filter '${filter}' belongs to the specification and is not for '${identifier}'`)
    }
    const owner = this.#watches.get(filter)?.identifier
    if (owner !== undefined) throw new TypeError(`Both '${owner}' and '${identifier}' watch '${filter}'`)
    this.#watches.set(filter, { identifier, watch })
  }

  /** The part of a filter that extensions grant. Only clients that declared the extension may ask for its members. */
  async grant(ctx: ServerRequestContext, asked: object): Promise<Record<string, string[]>> {
    const granted: [string, string[]][] = []
    for (const [filter, { identifier, watch }] of this.#watches) {
      const keys = ownMember(asked, filter)
      if (keys === undefined) continue
      requireClientExtension(ctx, identifier)
      granted.push([filter, [...(await watch.grant(ctx, readKeys(filter, keys)))]])
    }
    return Object.fromEntries(granted)
  }

  /** What is told of a change; `undefined` where there is nothing to tell any more. */
  async describe({ filter, key }: ExtensionChange): Promise<ChangeNotification | undefined> {
    return this.#watches.get(filter)?.watch.describe(key)
  }
}

function readKeys(filter: string, keys: unknown): string[] {
  if (Array.isArray(keys) && keys.every((key) => typeof key === 'string')) return [...new Set(keys)].slice(0, MAX_KEYS)
  throw new MCPError(
    ErrorCode.InvalidParams,
    `Invalid params for subscriptions/listen: ${filter} must be a list of strings`,
  )
}

// The members of a subscription's filter that extensions have, and who may have which of their keys.
import { typeError } from '../../primitives/help.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { invalidParams } from '../../types/errors/invalid-params.ts'
import type { ServerRequestContext } from '../context.ts'
import { running } from '../late/running.ts'
import { ALL_CHANGES, type GrantedWatches } from '../subscriptions/filter.ts'
import type { ChangeNotification, ExtensionChange } from '../subscriptions/subscriptions.ts'
import type { ExtensionWatch } from './extension.ts'

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
      throw typeError(
        'bad-extension',
        `The filter '${filter}' belongs to the specification and is not for '${identifier}'`,
      )
    }
    const owner = this.#watches.get(filter)?.identifier
    if (owner !== undefined) throw typeError('bad-extension', `Both '${owner}' and '${identifier}' watch '${filter}'`)
    this.#watches.set(filter, { identifier, watch })
  }

  /** The part of a filter that extensions grant. Only clients that declared the extension may ask for its members. */
  async grant(ctx: ServerRequestContext, asked: object): Promise<Record<string, string[]>> {
    const granted: [string, string[]][] = []
    for (const [filter, { identifier, watch }] of this.#watches) {
      const keys = ownMember(asked, filter)
      if (keys === undefined) continue
      running.loaded.requireClientExtension(ctx, identifier)
      granted.push([filter, [...(await watch.grant(ctx, readKeys(filter, keys)))]])
    }
    return Object.fromEntries(granted)
  }

  /** The changes of granted keys that came before their subscription was open. */
  async findMissed(granted: GrantedWatches): Promise<ExtensionChange[]> {
    const missed: ExtensionChange[] = []
    for (const [filter, keys] of Object.entries(granted)) {
      const found = await this.#watches.get(filter)?.watch.findMissed?.(keys)
      for (const key of found ?? []) missed.push({ type: 'extensionChanged', filter, key })
    }
    return missed
  }

  /** The notification of a change, for the client of a subscription; `undefined` where there is nothing to report to it. */
  async describe({ filter, key }: ExtensionChange, ctx: ServerRequestContext): Promise<ChangeNotification | undefined> {
    return this.#watches.get(filter)?.watch.describe(key, ctx)
  }
}

function readKeys(filter: string, keys: unknown): string[] {
  if (Array.isArray(keys) && keys.every((key) => typeof key === 'string')) return [...new Set(keys)].slice(0, MAX_KEYS)
  throw invalidParams('subscriptions/listen', `${filter} must be a list of strings`)
}

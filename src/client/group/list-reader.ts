// Reads the lists of a member: with the names that its components have in the group, within a time limit, and never failing.

import { isThenable } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import { describeKind } from '../../primitives/options.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ComponentKind, Listings, NamedComponent } from './components.ts'
import type { GroupMember } from './member.ts'
import type { ClientSessionGroupOptions } from './options.ts'
import type { GroupReports } from './reports.ts'

export class ListReader {
  readonly #componentName: ClientSessionGroupOptions['componentName']
  readonly #reports: GroupReports

  constructor({ componentName }: Pick<ClientSessionGroupOptions, 'componentName'>, reports: GroupReports) {
    this.#componentName = componentName
    this.#reports = reports
  }

  /** All lists that the member offers. One that takes longer than `limitMs` is read again later, by `member.refresh`. */
  async readAll(member: GroupMember, limitMs: number): Promise<Listings> {
    const listings: Listings = { tools: [], resources: [], resourceTemplates: [], prompts: [] }
    await Promise.all(member.offeredKinds.map((kind) => this.#read(member, kind, listings, limitMs)))
    return listings
  }

  /** `undefined` for a list that could not be read; that has been reported. */
  async read<K extends ComponentKind>(member: GroupMember, kind: K): Promise<Listings[K] | undefined> {
    const listings: Partial<Listings> = {}
    await this.#read(member, kind, listings, Infinity)
    return listings[kind]
  }

  /** Never rejects: a server that cannot list one kind of components still has the others. */
  async #read<K extends ComponentKind>(
    member: GroupMember,
    kind: K,
    listings: Partial<Listings>,
    limitMs: number,
  ): Promise<void> {
    try {
      listings[kind] = this.#named(member, await member.list(kind, limitMs)) as Listings[K]
    } catch (error) {
      if (member.removal.signal.aborted || isAbsent(kind, error)) return
      if (limitMs === Infinity || !isTimeout(error)) {
        this.#reports.listFailed(member, kind, error)
        return
      }
      this.#reports.listOverdue(member, kind, error)
      await member.refresh(kind)
    }
  }

  #named<Item extends { name: string }>(member: GroupMember, items: readonly Item[]): NamedComponent<Item>[] {
    const { label, serverInfo } = member
    return items.map((item) => [checkName(this.#componentName?.(item.name, { label, serverInfo }) ?? item.name), item])
  }
}

/** Throws `TypeError` for what `componentName` must not return: the promise of an async function, above all. */
function checkName(name: unknown): string {
  if (typeof name === 'string') return name
  if (!isThenable(name))
    throw typeError('wrong-result', `componentName returned ${describeKind(name)}. Return a string.`)
  // A rejection is not unhandled: the error below is about the same function.
  Promise.resolve(name).catch(() => {})
  throw typeError('wrong-result', 'componentName returned a promise. Return a string; the function must not be async.')
}

/** Templates have no capability of their own: a server with resources need not have any. */
function isAbsent(kind: ComponentKind, error: unknown): boolean {
  return kind === 'resourceTemplates' && hasCode(error, ErrorCode.MethodNotFound, false)
}

function isTimeout(error: unknown): boolean {
  return hasCode(error, ErrorCode.RequestTimeout, true)
}

function hasCode(error: unknown, code: number, isLocal: boolean): boolean {
  return error instanceof MCPError && error.local === isLocal && error.code === code
}

// The tools that a source lists as read-only or idempotent, as each caller has seen them listed.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { ByCaller } from './by-caller.ts'

export class SafeTools {
  readonly #tables = new ByCaller<Set<string>>(() => new Set())

  /** From a page of the list of tools. */
  learn(caller: string, page: object): void {
    const { tools } = page as { tools?: unknown }
    if (!Array.isArray(tools)) return
    const table = this.#tables.of(caller)
    for (const tool of tools) {
      if (!isPlainObject(tool) || typeof tool['name'] !== 'string') continue
      const isSafe = ['readOnlyHint', 'idempotentHint'].some((hint) => ownMember(tool['annotations'], hint) === true)
      if (isSafe) table.add(tool['name'])
      else table.delete(tool['name'])
    }
  }

  has(caller: string, tool: string): boolean {
    return this.#tables.find(caller)?.has(tool) === true
  }

  forget(caller: string): void {
    this.#tables.forget(caller)
  }
}

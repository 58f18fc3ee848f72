// What callers see of a source that they have not signed in at: one tool that asks them to, so that a model can begin the sign-in.
import { listFacts } from '../../compose/sources/lists.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, SourceDescription } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { principalKeyOf } from '../base/caller.ts'

export const CONNECT_TOOL = 'connect_account'
const MAX_OWNERS = 10_000

/** Everything may be there once it is connected; the lists are empty until then. */
export function describeUnconnected(): SourceDescription {
  const capabilities = {
    tools: { listChanged: true },
    resources: { listChanged: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  }
  return { capabilities }
}

export class Unconnected {
  readonly #source: string
  readonly #owners = new Set<string>()

  constructor(source: string) {
    this.#source = source
  }

  /** The list as a caller sees it, who is remembered for `asks`. */
  list(list: ListMethod, request: ServerRequestContext): JSONObject {
    if (list !== 'tools/list') return { [listFacts(list)?.member ?? 'items']: [] }
    const [oldest] = this.#owners
    if (this.#owners.size >= MAX_OWNERS && oldest !== undefined) this.#owners.delete(oldest)
    this.#owners.add(principalKeyOf(request))
    const tool = {
      name: CONNECT_TOOL,
      title: `Connect ${this.#source}`,
      description: `Connects '${this.#source}' to the account of the user, who is asked to sign in. Call it once; its other tools appear after that.`,
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      annotations: { idempotentHint: true, openWorldHint: true },
    }
    return { tools: [tool] }
  }

  /** Whether this is a call of the tool, by a caller who was shown it. */
  asks(request: ServerRequestContext, method: string, { name }: JSONObject): boolean {
    return method === 'tools/call' && name === CONNECT_TOOL && this.#owners.has(principalKeyOf(request))
  }

  /** The result of the tool for a caller who is connected. */
  get connected(): JSONObject {
    return {
      content: [{ type: 'text', text: `'${this.#source}' is connected. List the tools again to see what it has.` }],
    }
  }

  forget(owner: string): void {
    this.#owners.delete(owner)
  }
}

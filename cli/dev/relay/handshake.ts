// What a client has said to the server that the next version of it must know, too.
import { isPlainObject } from '../../terminal/primitives.ts'
import type { Link } from './link.ts'
import { fetchLists, type Lists } from './lists.ts'
import { type Params, readMessage, readParams } from './messages.ts'

const MAX_URIS = 10_000
/** Of a request that is kept to know who the client is (2026-07-28). */
const MAX_SAMPLE_BYTES = 256 * 1024

/** Long: a server may connect to a database when its first client comes. */
const HANDSHAKE_MS = 30_000
const REPLAY_MS = 5_000

interface InitializeResult {
  protocolVersion?: unknown
  capabilities?: unknown
  serverInfo?: unknown
}

export class Handshake {
  #initialize: Params | undefined
  /** The answer that the client got. */
  #result: InitializeResult | undefined
  #initialized: Buffer | undefined
  #level: Params | undefined
  readonly #uris = new Set<string>()
  #sample: Buffer | undefined

  /** Every message of the client with a method goes through here. */
  note(method: string, line: Buffer, isRequest: boolean): void {
    if (method === 'initialize') this.#initialize = readParams(line)
    else if (method === 'notifications/initialized') this.#initialized = line
    else if (method === 'logging/setLevel') this.#level = readParams(line)
    else if (method === 'resources/subscribe' && this.#uris.size < MAX_URIS) this.#uris.add(uriOf(line))
    else if (method === 'resources/unsubscribe') this.#uris.delete(uriOf(line))
    if (isRequest && line.length <= MAX_SAMPLE_BYTES && this.#initialize === undefined) this.#sample = line
  }

  /** The answer to `initialize`. */
  answered(line: Buffer): void {
    const result = readMessage(line)?.['result']
    if (isPlainObject(result)) this.#result = result
  }

  get isLegacy(): boolean {
    return this.#result !== undefined
  }

  /** Whether the client heard that it will be notified of changes of a list. */
  announces(capability: string): boolean {
    const { capabilities } = this.#result ?? {}
    const declared = isPlainObject(capabilities) ? capabilities[capability] : undefined
    return isPlainObject(declared) && declared['listChanged'] === true
  }

  /** Brings a new version to where the present one is. Rejects where it does not answer. */
  async replay(link: Link): Promise<string[]> {
    if (this.#initialize === undefined || this.#result === undefined) return []
    const result: InitializeResult = await link.ask('initialize', this.#initialize, HANDSHAKE_MS)
    if (this.#initialized !== undefined) link.send(this.#initialized)
    const ask = (method: string, params: Params) => link.ask(method, params, REPLAY_MS).catch(() => {})
    if (this.#level !== undefined) await ask('logging/setLevel', this.#level)
    await Promise.all([...this.#uris].map((uri) => ask('resources/subscribe', { uri })))
    return compareHandshakes(this.#result, result)
  }

  /** The lists as this client sees them; `undefined` before it has said anything, and where the server does not answer. */
  async fetchLists(link: Link, ms: number): Promise<Lists | undefined> {
    const ask = (method: string, params: Params) => link.ask(method, params, ms)
    try {
      // All lists are asked for: the present version may have other capabilities than the first one.
      if (this.isLegacy) return await fetchLists(tolerant(ask), ALL_CAPABILITIES)
      const meta = this.#sample === undefined ? undefined : readParams(this.#sample)['_meta']
      if (!isPlainObject(meta)) return undefined
      const { capabilities } = await ask('server/discover', { _meta: meta })
      return await fetchLists(ask, capabilities, { _meta: meta })
    } catch {
      return undefined
    }
  }
}

const ALL_CAPABILITIES = { tools: {}, resources: {}, prompts: {} }

/** A server without prompts answers that it does not know the method. Only silence counts as a failure. */
function tolerant(ask: (method: string, params: Params) => Promise<Params>) {
  return async (method: string, params: Params): Promise<Params> => {
    try {
      return await ask(method, params)
    } catch (error) {
      if (/was not answered within|has ended/.test((error as Error).message)) throw error
      return {}
    }
  }
}

function uriOf(line: Buffer): string {
  return String(readParams(line)['uri'])
}

function compareHandshakes(before: InitializeResult, after: InitializeResult): string[] {
  const warnings: string[] = []
  const names = [before, after].map(({ serverInfo }) => (isPlainObject(serverInfo) ? String(serverInfo['name']) : ''))
  if (before.protocolVersion !== after.protocolVersion) {
    warnings.push(
      `The new version speaks ${String(after.protocolVersion)}, but this client agreed on ${String(before.protocolVersion)}. Reconnect the client.`,
    )
  }
  if (names[0] !== names[1]) {
    warnings.push(`The server is now named ${names[1]}. The client shows ${names[0]} until it reconnects.`)
  }
  const [had, has] = [before, after].map(({ capabilities }) =>
    Object.keys(isPlainObject(capabilities) ? capabilities : {}),
  )
  const added = (has ?? []).filter((name) => had?.includes(name) === false)
  if (added.length > 0) {
    warnings.push(`The client cannot hear of new capabilities until it reconnects: ${added.join(', ')}.`)
  }
  return warnings
}

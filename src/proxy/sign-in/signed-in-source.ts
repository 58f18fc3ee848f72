// A source whose callers may have to sign in first: what they see until then, and how they are asked.

import { SignInRequired } from '../../auth/client/sign-in-required.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, ListPage, Source, SourceDescription } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { LIST_CHANGES } from '../../wire/method-rows.ts'
import { toModernResult } from '../crossing/shape-results.ts'
import { noteOwnState, withOwnState } from '../upstream/own-state.ts'
import type { UpstreamSource } from '../upstream/upstream-source.ts'
import { SignInRounds } from './sign-in-rounds.ts'
import { CONNECT_TOOL, describeUnconnected, Unconnected } from './unconnected.ts'

export class SignedInSource implements Source {
  readonly #source: UpstreamSource
  readonly #rounds: SignInRounds
  readonly #unconnected: Unconnected

  constructor(source: UpstreamSource) {
    this.#source = source
    const { name } = source.upstream
    this.#unconnected = new Unconnected(name)
    this.#rounds = new SignInRounds(
      name,
      // The lists of the caller are others from here on.
      () => {
        for (const change of LIST_CHANGES) source.announce({ type: change })
      },
      (request) => source.isOwnFront(request),
    )
  }

  async describe(request: ServerRequestContext): Promise<SourceDescription> {
    try {
      return await this.#source.describe(request)
    } catch (error) {
      if (SignInRequired.find(error) === undefined) throw error
      return describeUnconnected()
    }
  }

  async list(list: ListMethod, request: ServerRequestContext, cursor?: string): Promise<ListPage> {
    try {
      return await this.#source.list(list, request, cursor)
    } catch (error) {
      const signIn = SignInRequired.find(error)
      if (signIn === undefined) throw error
      this.#rounds.watch(request, signIn)
      return this.#shaped(request, list, this.#unconnected.list(list, request)) as unknown as ListPage
    }
  }

  async handle(request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    const isConnect = this.#unconnected.asks(request, method, params)
    const result = await this.#rounds.answer(request, withOwnState(request, params), (given) =>
      isConnect ? this.#connect(request, given) : this.#source.handle(request, method, given),
    )
    noteOwnState(request, result)
    return result
  }

  async notify(request: ServerRequestContext, method: string, params: JSONObject): Promise<void> {
    await this.#source.notify(request, method, params)
  }

  mirrored(tool: string, request: ServerRequestContext) {
    return this.#source.mirrored(tool, request)
  }

  watch(listener: Parameters<Source['watch']>[0]) {
    return this.#source.watch(listener)
  }

  hold(request: ServerRequestContext) {
    return this.#source.hold(request)
  }

  forget(owner: string): void {
    this.#unconnected.forget(owner)
  }

  close(): Promise<void> {
    return this.#source.close()
  }

  /** Listing needs the account. A tool of the same name of the source itself is that of the source. */
  async #connect(request: ServerRequestContext, params: JSONObject): Promise<JSONObject> {
    const { tools } = (await this.#source.list('tools/list', request)) as unknown as {
      tools?: readonly { name?: unknown }[]
    }
    const isTheirs = tools?.some(({ name }) => name === CONNECT_TOOL) === true
    if (isTheirs) return this.#source.handle(request, 'tools/call', params)
    return this.#shaped(request, 'tools/call', this.#unconnected.connected)
  }

  #shaped(request: ServerRequestContext, method: string, result: JSONObject): JSONObject {
    const { protocolVersion: version } = request
    if (!isModernVersion(version)) return result
    return toModernResult(method, result, { version, info: undefined, listMs: 0 }, () => {})
  }
}

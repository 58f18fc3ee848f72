// Sends requests in the revision that was agreed on, and returns the result where the caller can take its kind.

import { orderError, withHelp } from '../../primitives/help.ts'
import { UnexpectedClaimedResult } from '../../types/errors/failures.ts'
import type { ListToolsResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { PagedMethod } from '../../wire/methods.ts'
import type { ClaimedResult } from '../extensions/extension.ts'
import type { Agreement } from './agreement.ts'
import type { OutboundRequests, Outcome } from './outbound.ts'
import type { CallToolOptions, ListOptions, RawRequestOptions, RequestOptions } from './request-options.ts'
import type { ToolCatalog } from './tool-catalog.ts'

export class AgreedRequests {
  readonly #agreement: Agreement
  readonly #outbound: OutboundRequests
  readonly #catalog: ToolCatalog
  #isStarted = false

  constructor(agreement: Agreement, outbound: OutboundRequests, catalog: ToolCatalog) {
    this.#agreement = agreement
    this.#outbound = outbound
    this.#catalog = catalog
  }

  /** From here on requests are sent. */
  start(): void {
    if (this.#isStarted)
      throw orderError('The session was started before. Create a new session for another connection.')
    this.#isStarted = true
  }

  assertStarted(method: string): void {
    if (!this.#isStarted)
      throw orderError(`Cannot send '${method}' because the session is not started. Call start() first.`)
  }

  /** Any kind of result. Throws at once what can be known without the server. */
  send(method: string, params: JSONObject | undefined, options: RequestOptions): Promise<Outcome> {
    this.assertStarted(method)
    return this.#outbound.send(this.#agreement.era, method, params, options)
  }

  /** A result of a kind that the options allow. A listing of tools has taught the catalog when this resolves. */
  async request(method: string, params: JSONObject | undefined, options: CallToolOptions = {}): Promise<JSONObject> {
    const outcome = await this.send(method, params, options)
    const result = allowedResult(method, outcome, options)
    if (method !== 'tools/list') return result
    const listing = result as unknown as ListToolsResult
    const isComplete = params?.['cursor'] === undefined && listing.nextCursor === undefined
    return this.learnTools(listing, isComplete) as unknown as JSONObject
  }

  /** One page. */
  async list<Page>(method: PagedMethod, { cursor, ...options }: ListOptions = {}): Promise<Page> {
    return (await this.request(method, cursor === undefined ? {} : { cursor }, options)) as Page
  }

  /** Teaches the catalog, and returns the listing without the tools that cannot be called. */
  learnTools(listing: ListToolsResult, isComplete: boolean): ListToolsResult {
    return this.#catalog.learn(listing, { isComplete, mirrorsArguments: this.#agreement.era.mirrorsArguments })
  }

  /** A request that is passed on for another client: whatever it is, and whatever comes back. */
  sendRaw(method: string, params: JSONObject | undefined, options: RawRequestOptions): Promise<JSONObject> {
    this.assertStarted(method)
    return this.#outbound.sendRaw(this.#agreement.era, method, params, options)
  }

  notifyRaw(method: string, params: JSONObject | undefined): Promise<void> {
    return this.#outbound.notifyRaw(this.#agreement.era, method, params)
  }

  notify(method: string, params: JSONObject | undefined): Promise<void> {
    return this.#outbound.notify(this.#agreement.era, method, params)
  }
}

/** The result, or an error where the options do not allow its kind. */
export function allowedResult(method: string, { kind, result }: Outcome, options: CallToolOptions): JSONObject {
  if (kind === 'input_required' && options.allowInputRequired !== true) {
    throw withHelp(
      'unexpected-result-type',
      new Error(
        `The server needs input to finish '${method}'. Pass allowInputRequired: true and call again with ` +
          'inputResponses and requestState, or use Client, which answers by itself.',
      ),
    )
  }
  if (kind === 'claimed' && options.allowClaimed !== true) {
    throw new UnexpectedClaimedResult((result as ClaimedResult).resultType, result)
  }
  return result
}

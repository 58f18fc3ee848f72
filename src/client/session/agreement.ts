// What client and server have agreed on, and how they come to it: the handshake, discovery, or what is known beforehand.
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../../dispatcher/jsonrpc-dispatcher.ts'
import { UnsupportedProtocolVersionError } from '../../types/errors/errors.ts'
import type { ServerCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { DiscoverResult, InitializeResult } from '../../types/protocol/lifecycle.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import {
  isLegacyVersion,
  LATEST_MODERN_VERSION,
  LEGACY_VERSIONS,
  MODERN_VERSIONS,
  type ModernVersion,
} from '../../types/protocol/versions.ts'
import { readServerInfo } from '../../wire/envelope.ts'
import type { Era, EraSource } from './era.ts'
import { createHandshakeEra, createOfferedEra, createOpeningEra } from './era-legacy.ts'
import { createModernEra, newestMutualVersion } from './era-modern.ts'
import type { OutboundRequests } from './outbound.ts'
import type { InitializeOptions, RequestOptions } from './request-options.ts'
import { DEFAULT_CLIENT_INFO } from './session-options.ts'

/** One per session. Its era begins as the opening and is replaced as a whole by whatever is agreed on. */
export class Agreement {
  era: Era
  initializeResult: InitializeResult | undefined
  discoverResult: DiscoverResult | undefined
  serverInfo: Implementation | undefined
  readonly #source: EraSource
  readonly #outbound: OutboundRequests
  readonly #dispatcher: Dispatcher
  #initializing: Promise<InitializeResult> | undefined
  #discovering: Promise<DiscoverResult> | undefined

  constructor(source: EraSource, outbound: OutboundRequests, dispatcher: Dispatcher) {
    this.#source = source
    this.#outbound = outbound
    this.#dispatcher = dispatcher
    this.era = createOpeningEra(source)
  }

  get serverCapabilities(): ServerCapabilities | undefined {
    return (this.initializeResult ?? this.discoverResult)?.capabilities
  }

  get instructions(): string | undefined {
    return (this.initializeResult ?? this.discoverResult)?.instructions
  }

  initialize(options: InitializeOptions): Promise<InitializeResult> {
    if (this.initializeResult !== undefined) return Promise.resolve(this.initializeResult)
    this.#initializing ??= this.#shakeHands(options).finally(() => {
      this.#initializing = undefined
    })
    return this.#initializing
  }

  discover(options: RequestOptions): Promise<DiscoverResult> {
    if (this.discoverResult !== undefined) return Promise.resolve(this.discoverResult)
    this.#discovering ??= this.#explore(options).finally(() => {
      this.#discovering = undefined
    })
    return this.#discovering
  }

  async sendDiscover(version: ModernVersion, options: RequestOptions): Promise<DiscoverResult> {
    const era = createModernEra(version, this.#source)
    // Nothing would be at work that could be cancelled, and the server may not even know the method.
    const { result } = await this.#outbound.send(era, 'server/discover', undefined, {
      ...options,
      cancelOnAbandon: false,
    })
    return result as unknown as DiscoverResult
  }

  adopt(result: InitializeResult | DiscoverResult, version?: ModernVersion): void {
    if ('supportedVersions' in result) this.#adoptDiscovery(result, version)
    else this.#adoptHandshake(result)
    // Batches exist at one revision only, and the dispatcher cannot know which one was agreed on.
    if (this.#dispatcher instanceof JSONRPCDispatcher) this.#dispatcher.acceptsBatches = this.era.hasBatches
  }

  async #shakeHands({ protocolVersion, ...options }: InitializeOptions): Promise<InitializeResult> {
    if (this.discoverResult !== undefined) throw this.#crossing('no handshake')
    const era = createOfferedEra(this.#source, protocolVersion)
    // What is offered counts from here on: some servers ask before they have heard `initialized`.
    this.era = era
    const params: JSONObject = {
      protocolVersion: era.version,
      capabilities: era.capabilities,
      clientInfo: this.#source.options.clientInfo ?? DEFAULT_CLIENT_INFO,
    }
    // Spec, Cancellation: a client never cancels initialize.
    const { result } = await this.#outbound.send(era, 'initialize', params, { ...options, cancelOnAbandon: false })
    const answer = result as unknown as InitializeResult
    if (protocolVersion !== undefined && answer.protocolVersion !== protocolVersion) {
      throw unsupported([answer.protocolVersion], [protocolVersion])
    }
    this.adopt(answer)
    await this.#outbound.notify(this.era, 'notifications/initialized', undefined)
    return answer
  }

  async #explore(options: RequestOptions): Promise<DiscoverResult> {
    if (this.initializeResult !== undefined) throw this.#crossing('no discovery')
    const result = await this.#discoverAtBest(options)
    this.adopt(result)
    return result
  }

  /** Spec, Versioning: refused for its version, a client picks another from the server's list, once. */
  async #discoverAtBest(options: RequestOptions): Promise<DiscoverResult> {
    try {
      return await this.sendDiscover(LATEST_MODERN_VERSION, options)
    } catch (error) {
      const version =
        error instanceof UnsupportedProtocolVersionError ? newestMutualVersion(error.supported) : undefined
      if (version === undefined) throw error
      const { requestId: _requestId, ...again } = options
      return this.sendDiscover(version, again)
    }
  }

  #crossing(lack: string): Error {
    return new Error(`This session speaks ${this.era.version}, which has ${lack}; make a new session for another era`)
  }

  #adoptHandshake(result: InitializeResult): void {
    const { protocolVersion } = result
    if (!isLegacyVersion(protocolVersion)) throw unsupported([protocolVersion], LEGACY_VERSIONS)
    this.era = createHandshakeEra(protocolVersion, this.#source)
    this.initializeResult = result
    this.discoverResult = undefined
    this.serverInfo = result.serverInfo
  }

  #adoptDiscovery(result: DiscoverResult, wanted: ModernVersion | undefined): void {
    const { supportedVersions } = result
    const version = newestMutualVersion(wanted === undefined ? supportedVersions : [wanted])
    if (version === undefined || !supportedVersions.includes(version)) {
      throw unsupported(supportedVersions, wanted === undefined ? MODERN_VERSIONS : [wanted])
    }
    this.era = createModernEra(version, this.#source)
    this.discoverResult = result
    this.initializeResult = undefined
    this.serverInfo = readServerInfo(result)
  }
}

const MAX_SHOWN = 8
const SHOWABLE = /^[\w.-]{1,32}$/

function unsupported(offered: readonly string[], wanted: readonly string[]): Error {
  const shown = offered.slice(0, MAX_SHOWN).map((version) => (SHOWABLE.test(version) ? version : '(unreadable)'))
  const list = shown.length === 0 ? 'none' : shown.join(', ')
  return new Error(
    `Unsupported protocol version from the server: ${list}. This client can go on with ${wanted.join(', ')}`,
  )
}

// What client and server have agreed on, and how they agree: by the handshake, by discovery, or by a result of before.

import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../../dispatcher/jsonrpc-dispatcher.ts'
import { withHelp } from '../../primitives/help.ts'
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
import { createHandshakeEra, createOfferedEra, createUnnegotiatedEra } from './era-legacy.ts'
import { createModernEra, newestMutualVersion } from './era-modern.ts'
import type { OutboundRequests } from './outbound.ts'
import type { InitializeOptions, RequestOptions } from './request-options.ts'
import { DEFAULT_CLIENT_INFO } from './session-options.ts'

/** One per session. Its era is replaced as a whole when a revision is agreed on. */
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
    this.era = createUnnegotiatedEra(source)
  }

  get serverCapabilities(): ServerCapabilities | undefined {
    return (this.initializeResult ?? this.discoverResult)?.capabilities
  }

  get instructions(): string | undefined {
    return (this.initializeResult ?? this.discoverResult)?.instructions
  }

  initialize(options: InitializeOptions): Promise<InitializeResult> {
    if (this.initializeResult !== undefined) return Promise.resolve(this.initializeResult)
    this.#initializing ??= this.#performHandshake(options).finally(() => {
      this.#initializing = undefined
    })
    return this.#initializing
  }

  discover(options: RequestOptions): Promise<DiscoverResult> {
    if (this.discoverResult !== undefined) return Promise.resolve(this.discoverResult)
    this.#discovering ??= this.#performDiscovery(options).finally(() => {
      this.#discovering = undefined
    })
    return this.#discovering
  }

  async sendDiscover(version: ModernVersion, options: RequestOptions): Promise<DiscoverResult> {
    const era = createModernEra(version, this.#source)
    // There is no work to cancel, and the server may not know the method.
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

  async #performHandshake({ protocolVersion, ...options }: InitializeOptions): Promise<InitializeResult> {
    if (this.discoverResult !== undefined) throw this.#wrongEra('no handshake')
    const era = createOfferedEra(this.#source, protocolVersion)
    // From here on the offered revision counts: some servers send requests before they receive `initialized`.
    this.era = era
    const params: JSONObject = {
      protocolVersion: era.version,
      capabilities: era.capabilities,
      clientInfo: this.#source.options.clientInfo ?? DEFAULT_CLIENT_INFO,
    }
    // Spec, Cancellation: a client never cancels initialize.
    const { result } = await this.#outbound.send(era, 'initialize', params, { ...options, cancelOnAbandon: false })
    const initialized = result as unknown as InitializeResult
    if (protocolVersion !== undefined && initialized.protocolVersion !== protocolVersion) {
      throw unsupportedVersion([initialized.protocolVersion], [protocolVersion])
    }
    this.adopt(initialized)
    await this.#outbound.notify(this.era, 'notifications/initialized', undefined)
    return initialized
  }

  async #performDiscovery(options: RequestOptions): Promise<DiscoverResult> {
    if (this.initializeResult !== undefined) throw this.#wrongEra('no discovery')
    const result = await this.#discoverNewest(options)
    this.adopt(result)
    return result
  }

  /** Spec, Versioning: when its version is rejected, a client picks another from the server's list, once. */
  async #discoverNewest(options: RequestOptions): Promise<DiscoverResult> {
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

  #wrongEra(lack: string): Error {
    return new Error(`The session speaks ${this.era.version}, which has ${lack}. Create a new session for another era.`)
  }

  #adoptHandshake(result: InitializeResult): void {
    const { protocolVersion } = result
    if (!isLegacyVersion(protocolVersion)) throw unsupportedVersion([protocolVersion], LEGACY_VERSIONS)
    this.era = createHandshakeEra(protocolVersion, this.#source)
    this.initializeResult = result
    this.discoverResult = undefined
    this.serverInfo = result.serverInfo
  }

  #adoptDiscovery(result: DiscoverResult, wanted: ModernVersion | undefined): void {
    const { supportedVersions } = result
    const version = newestMutualVersion(wanted === undefined ? supportedVersions : [wanted])
    if (version === undefined || !supportedVersions.includes(version)) {
      throw unsupportedVersion(supportedVersions, wanted === undefined ? MODERN_VERSIONS : [wanted])
    }
    this.era = createModernEra(version, this.#source)
    this.discoverResult = result
    this.initializeResult = undefined
    this.serverInfo = readServerInfo(result)
  }
}

/** The server chose these texts, so a message holds few of them and only plain ones. */
const MAX_SHOWN = 8
const SHOWABLE = /^[\w.-]{1,32}$/

/** Revisions that a server named, fit for a message. */
export function shownVersions(offered: readonly string[]): string {
  const shown = offered.slice(0, MAX_SHOWN).map((version) => (SHOWABLE.test(version) ? version : '(unreadable)'))
  return shown.length === 0 ? 'none' : shown.join(', ')
}

function unsupportedVersion(offered: readonly string[], wanted: readonly string[]): Error {
  const list = shownVersions(offered)
  return withHelp(
    'version-unsupported',
    new Error(`Unsupported protocol version from the server: ${list}. This session accepts ${wanted.join(', ')}.`),
  )
}

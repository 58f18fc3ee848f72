// The modern era, from 2026-07-28 on: every request carries the client's identity, capabilities and revision.
import type { SendHints } from '../../dispatcher/channel.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { MODERN_VERSIONS, type ModernVersion } from '../../types/protocol/versions.ts'
import { type Envelope, stampEnvelope } from '../../wire/envelope.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { routingHeaders } from '../../wire/headers/headers.ts'
import { paramHeaders } from '../../wire/headers/param-headers.ts'
import { inputRequestRow } from '../../wire/method-rows.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import type { ResultClaim } from '../extensions/extension.ts'
import { deriveCapabilities } from './capabilities.ts'
import type { Era, EraSource, UnstampedMessage } from './era.ts'
import { createPatientMeta, withPatience } from './patience.ts'
import { type ClientSessionOptions, DEFAULT_CLIENT_INFO, wantedLogLevel } from './session-options.ts'

const NO_ANNOTATIONS: readonly HeaderAnnotation[] = []

/** The newest revision of a server's list that this client supports too. */
export function newestMutualVersion(supported: readonly string[]): ModernVersion | undefined {
  return MODERN_VERSIONS.findLast((version) => supported.includes(version))
}

export function createModernEra(version: ModernVersion, source: EraSource): Era {
  const { options } = source
  const logLevel = wantedLogLevel(options)
  const isActive = (claim: ResultClaim) => claim.protocolVersions?.includes(version) ?? true
  const capabilities = deriveCapabilities(options, { roots: {}, isActive })
  const claims = new Map(
    claimsOf(options)
      .filter(isActive)
      .map((claim) => [claim.resultType, claim]),
  )
  const envelope: Envelope = {
    protocolVersion: version,
    clientCapabilities: capabilities,
    clientInfo: options.clientInfo ?? DEFAULT_CLIENT_INFO,
    ...(logLevel && { logLevel }),
  }
  // Most requests have no `_meta` of their own and share this one.
  const plainMeta = Object.freeze(stampEnvelope(undefined, envelope)['_meta']) as JSONObject
  const patientMeta = createPatientMeta(plainMeta)
  return {
    version,
    isNegotiated: true,
    capabilities,
    claims,
    claimedTypes: new Set(claims.keys()),
    hasResultTypes: true,
    hasServerRequests: false,
    hasOutputSchemas: true,
    mirrorsArguments: true,
    hasBatches: false,
    questionRow: (method) => inputRequestRow(method, version),
    // Not by the row: a question within a result has no envelope of its own.
    questionMisfit: (_row, question) => grammarOf(version).misfit('InputRequest', question),
    stamp: (message) => {
      const { params, patienceMs } = message
      const hasMeta = params?.['_meta'] !== undefined
      return {
        params: hasMeta
          ? stampEnvelope(withPatience(params, patienceMs), envelope)
          : { _meta: patienceMs === undefined ? plainMeta : patientMeta(patienceMs), ...params },
        hints: withHeaders(message, version, source),
      }
    },
    stampFor: (caller, message) => ({
      params: stampEnvelope(message.params, caller === undefined ? envelope : { ...caller, protocolVersion: version }),
      hints: withHeaders(message, version, source),
    }),
  }
}

function claimsOf({ resultClaims = {} }: ClientSessionOptions): ResultClaim[] {
  return Object.values(resultClaims).flat()
}

function withHeaders(message: UnstampedMessage, version: ModernVersion, source: EraSource): SendHints {
  const { method, params, hints } = message
  const annotations =
    message.annotations ?? (method === 'tools/call' ? source.annotationsOf(params?.['name']) : NO_ANNOTATIONS)
  const mirrored = new MirroredHeaders(message, version, annotations)
  return hints === undefined ? mirrored : { ...hints, headers: { ...hints.headers, ...mirrored.headers } }
}

/** Creates the headers when a transport reads them. In process and over stdio nothing does. */
class MirroredHeaders implements SendHints {
  readonly #message: UnstampedMessage
  readonly #version: ModernVersion
  readonly #annotations: readonly HeaderAnnotation[]
  #headers: Readonly<Record<string, string>> | undefined

  constructor(message: UnstampedMessage, version: ModernVersion, annotations: readonly HeaderAnnotation[]) {
    this.#message = message
    this.#version = version
    this.#annotations = annotations
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= this.#create()
    return this.#headers
  }

  #create(): Readonly<Record<string, string>> {
    const { method, params, nameParam } = this.#message
    const routing = routingHeaders({ method, params, protocolVersion: this.#version, nameParam })
    if (this.#annotations.length === 0) return routing
    return { ...paramHeaders(this.#annotations, params?.['arguments'] as JSONObject | undefined), ...routing }
  }
}

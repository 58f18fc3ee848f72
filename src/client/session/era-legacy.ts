// The legacy era, up to 2025-11-25: agreed on once, then only the HTTP header repeats the version.
import type { SendHints } from '../../dispatcher/channel.ts'
import { isVersionAtLeast, LATEST_LEGACY_VERSION, type LegacyVersion } from '../../types/protocol/versions.ts'
import { PROTOCOL_VERSION_HEADER } from '../../wire/headers/headers.ts'
import { requestRow } from '../../wire/method-rows.ts'
import { hasBatches } from '../../wire/revision-facts.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import type { ResultClaim } from '../extensions/extension.ts'
import { deriveCapabilities } from './capabilities.ts'
import type { Era, EraSource, StampedMessage, UnstampedMessage } from './era.ts'
import { createPatientMeta, withPatience } from './patience.ts'

const NO_CLAIMS: ReadonlyMap<string, ResultClaim> = new Map()
const NO_TYPES: ReadonlySet<string> = new Set()

export function createHandshakeEra(version: LegacyVersion, source: EraSource): Era {
  const headers = Object.freeze({ [PROTOCOL_VERSION_HEADER]: version })
  const plainHints = Object.freeze({ headers })
  const patientMeta = createPatientMeta({})
  const withVersion = (hints: SendHints | undefined) =>
    hints === undefined ? plainHints : { ...hints, headers: { ...hints.headers, ...headers } }
  return {
    ...legacyFacts(version, source),
    isNegotiated: true,
    stamp: ({ params, hints, patienceMs }) => ({
      params: patienceMs === undefined ? params : withPatience(params, patienceMs, patientMeta),
      hints: withVersion(hints),
    }),
    stampFor: (_caller, { params, hints }) => ({ params, hints: withVersion(hints) }),
  }
}

/** Before the first message: nothing is stamped, no capability is declared, and only a ping is answered. */
export function createUnnegotiatedEra(source: EraSource): Era {
  const offered = createOfferedEra(source)
  const questionRow = (method: string) => {
    const row = offered.questionRow(method)
    return row?.beforeHandshake === true ? row : undefined
  }
  return { ...offered, questionRow }
}

/** From the offer in `initialize` until the server answers: messages are read as the offered revision. */
export function createOfferedEra(
  source: EraSource,
  version: LegacyVersion = source.options.offeredVersion ?? LATEST_LEGACY_VERSION,
): Era {
  return {
    ...legacyFacts(version, source),
    isNegotiated: false,
    stamp: sendUnchanged,
    stampFor: (_caller, message) => sendUnchanged(message),
  }
}

function legacyFacts(version: LegacyVersion, { options }: EraSource): Omit<Era, 'isNegotiated' | 'stamp' | 'stampFor'> {
  return {
    version,
    capabilities: deriveCapabilities(options, { roots: { listChanged: true }, isActive: () => false }),
    claims: NO_CLAIMS,
    claimedTypes: NO_TYPES,
    hasResultTypes: false,
    hasServerRequests: true,
    hasOutputSchemas: isVersionAtLeast(version, '2025-06-18'),
    mirrorsArguments: false,
    hasBatches: hasBatches(version),
    questionRow: (method) => requestRow(method, version, 'server'),
    questionMisfit: (row, { params = {} }) => grammarOf(version).misfit(row.params, params),
  }
}

function sendUnchanged({ params, hints }: UnstampedMessage): StampedMessage {
  return { params, hints }
}

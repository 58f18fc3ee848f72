// Finds out which era and revision a server speaks, and settles the session on it.
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../../types/errors/errors.ts'
import { InvalidResultError, TransportError } from '../../types/errors/failures.ts'
import type { DiscoverResult } from '../../types/protocol/lifecycle.ts'
import {
  isLegacyVersion,
  LATEST_MODERN_VERSION,
  type ModernVersion,
  type ProtocolVersion,
} from '../../types/protocol/versions.ts'
import { newestMutualVersion } from '../session/era-modern.ts'
import type { ClientSession } from '../session/session.ts'
import { isInconclusive, isNoServerStatus, isNotUnderstood, statusOf } from '../transports/http-status.ts'

/**
 * `auto` asks the server which era it speaks. `modern` and `legacy` admit one era, a revision admits that revision alone.
 * A modern revision is taken on trust and costs no message.
 */
export type ClientMode = 'auto' | 'modern' | 'legacy' | ProtocolVersion

/** Whether a mode admits legacy revisions alone. */
export function isLegacyMode(mode: ClientMode): boolean {
  return mode === 'legacy' || isLegacyVersion(mode)
}

export interface NegotiateOptions {
  mode: ClientMode
  /** What an earlier connection learned; for `modern` and for a modern revision. */
  priorDiscover?: DiscoverResult | undefined
  probeTimeoutMs: number
}

export type NegotiatingSession = Pick<ClientSession, 'initialize' | 'sendDiscover' | 'adopt'>

/** Leaves the session negotiated, or rejects with the reason why that cannot be. */
export async function negotiate(session: NegotiatingSession, options: NegotiateOptions): Promise<void> {
  const { mode, priorDiscover, probeTimeoutMs } = options
  if (mode === 'legacy') await session.initialize()
  else if (isLegacyVersion(mode)) await session.initialize({ protocolVersion: mode })
  else if (mode === 'auto') await findEra(session, probeTimeoutMs)
  else if (mode === 'modern') await findModern(session, priorDiscover)
  else session.adopt(priorDiscover ?? { supportedVersions: [mode], capabilities: {} }, mode)
}

async function findEra(session: NegotiatingSession, timeoutMs: number): Promise<void> {
  const verdict = await probe(session, LATEST_MODERN_VERSION, timeoutMs)
  if (verdict.era === 'modern') return session.adopt(verdict.result, verdict.version)
  if (verdict.era === 'other') return probeAgain(session, verdict.version, timeoutMs)
  await initializeOrCorrect(session, timeoutMs)
}

async function findModern(session: NegotiatingSession, prior: DiscoverResult | undefined): Promise<void> {
  if (prior !== undefined) return session.adopt(prior)
  let refusal: unknown
  const verdict = await session.sendDiscover(LATEST_MODERN_VERSION).then(
    (result) => judgeResult(result, LATEST_MODERN_VERSION),
    (error: unknown) => {
      refusal = error
      return judgeRefusal(error)
    },
  )
  if (verdict.era === 'modern') return session.adopt(verdict.result, verdict.version)
  if (verdict.era === 'legacy') throw legacyOnly(refusal)
  await probeAgain(session, verdict.version)
}

/** Where nothing else would be tried, only an answer of the server itself says which era it speaks. */
function judgeRefusal(error: unknown): ProbeVerdict {
  const isAnswer = error instanceof InvalidResultError || (error instanceof MCPError && !error.local)
  if (!isAnswer) throw error
  if (error instanceof MCPError && !isModernError(error) && isNoServerStatus(statusOf(error)))
    throw refusedByHttp(error)
  return judgeFailure(error)
}

/** The server named another revision to ask in. It gets one chance to mean it. */
async function probeAgain(session: NegotiatingSession, version: ModernVersion, timeoutMs?: number): Promise<void> {
  const result = await session.sendDiscover(version, timeoutMs === undefined ? {} : { timeoutMs })
  session.adopt(result, newestMutualVersion(result.supportedVersions) ?? version)
}

/**
 * A probe that we gave up on may have reached the server, which then took the connection for a modern one. It says so
 * when it refuses the handshake, and only then is there a second look.
 */
async function initializeOrCorrect(session: NegotiatingSession, timeoutMs: number): Promise<void> {
  try {
    await session.initialize()
  } catch (error) {
    const version = error instanceof UnsupportedProtocolVersionError ? newestMutualVersion(error.supported) : undefined
    if (version === undefined) throw error
    await probeAgain(session, version, timeoutMs)
  }
}

/** What a probe has shown. `other` is a modern server that wants to be asked in another revision. */
export type ProbeVerdict =
  | { readonly era: 'modern'; readonly version: ModernVersion; readonly result: DiscoverResult }
  | { readonly era: 'other'; readonly version: ModernVersion }
  | { readonly era: 'legacy' }

async function probe(session: NegotiatingSession, version: ModernVersion, timeoutMs: number): Promise<ProbeVerdict> {
  try {
    return judgeResult(await session.sendDiscover(version, { timeoutMs }), version)
  } catch (error) {
    return judgeFailure(error)
  }
}

/** A server that answers discovery and lists legacy revisions alone is telling us to shake hands. */
function judgeResult(result: DiscoverResult, requested: ModernVersion): ProbeVerdict {
  const version = newestMutualVersion(result.supportedVersions)
  if (version !== undefined) return { era: 'modern', version, result }
  if (result.supportedVersions.some(isLegacyVersion)) return { era: 'legacy' }
  throw noSharedVersion(result.supportedVersions, requested)
}

/** What a failed probe proves. Throws the failure itself where it proves nothing, or that there is no way on. */
export function judgeFailure(error: unknown): ProbeVerdict {
  // An answer of another form comes from a server that does not know what it was asked.
  if (error instanceof InvalidResultError) return { era: 'legacy' }
  // Spec, Streamable HTTP: a refusal without a JSON-RPC error that this era knows is a server of the one before.
  if (error instanceof TransportError && isNotUnderstood(error.status)) return { era: 'legacy' }
  // The way there is broken: that says nothing about the server, and the next message would fare no better.
  if (!(error instanceof MCPError) || isInconclusive(statusOf(error))) throw error
  if (error.local) {
    // Spec, stdio: silence past a reasonable time is a server that ignores what it does not know.
    if (error.code === ErrorCode.RequestTimeout) return { era: 'legacy' }
    throw error
  }
  // Spec, stdio: these errors exist in the modern era only, so that no handshake may follow them. Any other code, even
  // -32601, is a server that has never heard of discovery.
  return isModernError(error) ? judgeModernError(error) : { era: 'legacy' }
}

/** Of what a refusal says. */
const MAX_QUOTED = 200

const MODERN_ERRORS: ReadonlySet<number> = new Set([
  ErrorCode.HeaderMismatch,
  ErrorCode.MissingRequiredClientCapability,
  ErrorCode.UnsupportedProtocolVersion,
])

/** Whether only a server of the modern era says this. */
export function isModernError(error: unknown): boolean {
  return error instanceof MCPError && !error.local && MODERN_ERRORS.has(error.code)
}

function judgeModernError(error: MCPError): ProbeVerdict {
  if (!(error instanceof UnsupportedProtocolVersionError)) throw error
  const version = newestMutualVersion(error.supported)
  if (version !== undefined) return { era: 'other', version }
  if (error.supported.some(isLegacyVersion)) return { era: 'legacy' }
  throw error
}

/** The words of the HTTP response, and those of the JSON-RPC error in it. */
function refusedByHttp(error: MCPError): TransportError {
  const { message, status } = error.cause as TransportError
  const said = JSON.stringify(error.message.slice(0, MAX_QUOTED))
  return new TransportError(`${message}; it said: ${said}`, { cause: error, ...(status !== undefined && { status }) })
}

function legacyOnly(cause: unknown): UnsupportedProtocolVersionError {
  const supported = cause instanceof UnsupportedProtocolVersionError ? cause.supported : []
  const message = "The server speaks legacy revisions only. Use mode 'auto' or 'legacy' to connect to it."
  const error = new UnsupportedProtocolVersionError(supported, LATEST_MODERN_VERSION, message)
  error.cause = cause
  return error
}

function noSharedVersion(supported: readonly string[], requested: string): UnsupportedProtocolVersionError {
  const message =
    'The server speaks no protocol revision that this client knows; supported lists those it does. Update this package'
  return new UnsupportedProtocolVersionError(supported, requested, message)
}

// Finds out which era and revision a server speaks, and lets the session adopt it.
import { withHelpOf } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../../types/errors/errors.ts'
import { InvalidResultError, TransportError } from '../../types/errors/failures.ts'
import type { DiscoverResult } from '../../types/protocol/lifecycle.ts'
import {
  isLegacyVersion,
  LATEST_MODERN_VERSION,
  type ModernVersion,
  PROTOCOL_VERSIONS,
} from '../../types/protocol/versions.ts'
import { shownVersions } from '../session/agreement.ts'
import { newestMutualVersion } from '../session/era-modern.ts'
import type { ClientSession } from '../session/session.ts'
import { isInconclusive, isNoServerStatus, isNotUnderstood, statusOf } from '../transports/http-status.ts'
import type { ClientMode } from './client-mode.ts'

interface NegotiateOptions {
  mode: ClientMode
  /** The result of an earlier discovery, for `modern` and for a modern revision. */
  priorDiscover?: DiscoverResult | undefined
  probeTimeoutMs: number
}

export type NegotiatingSession = Pick<ClientSession, 'initialize' | 'sendDiscover' | 'adopt'>

/** When this resolves, the session has adopted a revision. */
export async function negotiate(session: NegotiatingSession, options: NegotiateOptions): Promise<void> {
  const { mode, priorDiscover, probeTimeoutMs } = options
  if (mode === 'legacy') await session.initialize()
  else if (isLegacyVersion(mode)) await session.initialize({ protocolVersion: mode })
  else if (mode === 'auto') await negotiateEra(session, probeTimeoutMs)
  else if (mode === 'modern') await negotiateModern(session, priorDiscover)
  else session.adopt(priorDiscover ?? { supportedVersions: [mode], capabilities: {} }, mode)
}

/** The probe names the newest revision that this client supports; a server that wants another one says which. */
const PROBE_VERSION: ModernVersion = LATEST_MODERN_VERSION

async function negotiateEra(session: NegotiatingSession, timeoutMs: number): Promise<void> {
  const verdict = await probe(session, timeoutMs)
  if (verdict.era === 'modern') return session.adopt(verdict.result, verdict.version)
  if (verdict.era === 'other-revision') return probeRevision(session, verdict.version, timeoutMs)
  await initializeOrProbe(session, timeoutMs)
}

async function negotiateModern(session: NegotiatingSession, prior: DiscoverResult | undefined): Promise<void> {
  if (prior !== undefined) return session.adopt(prior)
  let rejection: unknown
  const verdict = await session.sendDiscover(PROBE_VERSION).then(verdictOfResult, (error: unknown) => {
    rejection = error
    return verdictOfRejection(error)
  })
  if (verdict.era === 'modern') return session.adopt(verdict.result, verdict.version)
  if (verdict.era === 'legacy') throw saysLegacy(rejection) ? legacyOnlyError(rejection) : rejection
  await probeRevision(session, verdict.version)
}

/** In mode `modern` nothing else is tried, so only a response of the server itself proves its era. */
function verdictOfRejection(error: unknown): ProbeVerdict {
  const isAnswer = error instanceof InvalidResultError || (error instanceof MCPError && !error.local)
  if (!isAnswer) throw error
  if (error instanceof MCPError && !isModernError(error) && isNoServerStatus(statusOf(error)))
    throw httpRejection(error)
  return verdictOfFailure(error)
}

/**
 * What legacy servers answer to a request that they don't know, or that comes before a handshake. Any other error is about something
 * else: a server that knows discovery may fail at it.
 */
const LEGACY_ERRORS: ReadonlySet<number> = new Set([
  ErrorCode.MethodNotFound,
  ErrorCode.InvalidRequest,
  ErrorCode.InvalidParams,
  ErrorCode.UnsupportedProtocolVersion,
])

/** Whether the failure of a probe says that the server is a legacy one; `undefined` is an answer that lists its revisions. */
function saysLegacy(rejection: unknown): boolean {
  if (!(rejection instanceof MCPError) || LEGACY_ERRORS.has(rejection.code)) return true
  // The specification gives these codes to each implementation. Where they ask for a handshake, their words say so.
  return rejection.code !== ErrorCode.InternalError && HANDSHAKE.test(rejection.message)
}

const HANDSHAKE = /initiali[sz]|session|handshake|method|version/i

/** Probes once more in the revision that the server named. */
async function probeRevision(session: NegotiatingSession, version: ModernVersion, timeoutMs?: number): Promise<void> {
  const result = await session.sendDiscover(version, timeoutMs === undefined ? {} : { timeoutMs })
  session.adopt(result, newestMutualVersion(result.supportedVersions) ?? version)
}

/**
 * A probe that timed out may have reached the server, which then treats the connection as modern. It says so when it rejects
 * the handshake, and only then is it probed again.
 */
async function initializeOrProbe(session: NegotiatingSession, timeoutMs: number): Promise<void> {
  try {
    await session.initialize()
  } catch (error) {
    const version = error instanceof UnsupportedProtocolVersionError ? newestMutualVersion(error.supported) : undefined
    if (version === undefined) throw error
    await probeRevision(session, version, timeoutMs)
  }
}

/** What a probe has shown. `other-revision` is a modern server that wants a probe in another revision. */
type ProbeVerdict =
  | { readonly era: 'modern'; readonly version: ModernVersion; readonly result: DiscoverResult }
  | { readonly era: 'other-revision'; readonly version: ModernVersion }
  | { readonly era: 'legacy' }

async function probe(session: NegotiatingSession, timeoutMs: number): Promise<ProbeVerdict> {
  try {
    return verdictOfResult(await session.sendDiscover(PROBE_VERSION, { timeoutMs }))
  } catch (error) {
    return verdictOfFailure(error)
  }
}

/** A server that answers discovery and lists only legacy revisions wants a handshake. */
function verdictOfResult(result: DiscoverResult): ProbeVerdict {
  const version = newestMutualVersion(result.supportedVersions)
  if (version !== undefined) return { era: 'modern', version, result }
  if (result.supportedVersions.some(isLegacyVersion)) return { era: 'legacy' }
  throw noSharedVersionError(result.supportedVersions)
}

/** Throws the failure itself where it proves nothing about the era, or proves that no revision is shared. */
function verdictOfFailure(error: unknown): ProbeVerdict {
  // A response of another shape comes from a server that does not know the method.
  if (error instanceof InvalidResultError) return { era: 'legacy' }
  // Spec, Streamable HTTP: an HTTP error without a modern JSON-RPC error comes from a legacy server.
  if (error instanceof TransportError && isNotUnderstood(error.status)) return { era: 'legacy' }
  // The connection failed. That proves nothing about the server, and the next message would fail too.
  if (!(error instanceof MCPError) || isInconclusive(statusOf(error)) || isOfProxy(error)) throw error
  if (error.local) {
    // Spec, stdio: a server that does not answer in a reasonable time ignores methods that it does not know.
    if (error.code === ErrorCode.RequestTimeout) return { era: 'legacy' }
    throw error
  }
  // Spec, stdio: these errors exist in the modern era only, so no handshake may follow them. Any other code, even -32601,
  // comes from a server that does not know discovery.
  return isModernError(error) ? verdictOfModernError(error) : { era: 'legacy' }
}

const MODERN_ERRORS: ReadonlySet<number> = new Set([
  ErrorCode.HeaderMismatch,
  ErrorCode.MissingRequiredClientCapability,
  ErrorCode.UnsupportedProtocolVersion,
])

/** Whether only a modern server sends this error. */
export function isModernError(error: unknown): boolean {
  return error instanceof MCPError && !error.local && MODERN_ERRORS.has(error.code)
}

/** A proxy of this package knows discovery: what it says is about the server behind it, and would be the same after a handshake. */
function isOfProxy({ data }: MCPError): boolean {
  return isPlainObject(data) && isPlainObject(data['mcpwire'])
}

function verdictOfModernError(error: MCPError): ProbeVerdict {
  if (!(error instanceof UnsupportedProtocolVersionError)) throw error
  const version = newestMutualVersion(error.supported)
  if (version !== undefined) return { era: 'other-revision', version }
  if (error.supported.some(isLegacyVersion)) return { era: 'legacy' }
  throw error.supported.length === 0 ? error : noSharedVersionError(error.supported, error)
}

/** Characters of the server's message in ours. */
const MAX_QUOTED = 200

/** The error of the HTTP response, with the message of the JSON-RPC error in its body. */
function httpRejection(error: MCPError): TransportError {
  const { message, status } = error.cause as TransportError
  const quoted = JSON.stringify(error.message.slice(0, MAX_QUOTED))
  return withHelpOf(
    error.cause,
    'http-error',
    new TransportError(`${message.replace(/\.$/, '')}. The response says: ${quoted}`, {
      cause: error,
      ...(status !== undefined && { status }),
    }),
  )
}

function legacyOnlyError(cause: unknown): UnsupportedProtocolVersionError {
  const supported = cause instanceof UnsupportedProtocolVersionError ? cause.supported : []
  const message = "The server speaks legacy revisions only. Use mode 'auto' or 'legacy' to connect to it."
  const error = new UnsupportedProtocolVersionError(supported, PROBE_VERSION, message)
  error.cause = cause
  return error
}

function noSharedVersionError(supported: readonly string[], cause?: unknown): UnsupportedProtocolVersionError {
  const message =
    `The server speaks ${shownVersions(supported)} only, and this client ${PROTOCOL_VERSIONS.join(', ')}. ` +
    'Update the older of the two.'
  const error = new UnsupportedProtocolVersionError(supported, PROBE_VERSION, message)
  if (cause !== undefined) error.cause = cause
  return error
}

// `initialize`, `ping` and `logging/setLevel`: handlers like any other, that a server brings along.

import { weigh } from '../dispatcher/weight.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError, UnsupportedProtocolVersionError } from '../types/errors/errors.ts'
import type { SetLevelRequestParams } from '../types/features/logging.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { InitializeRequestParams, InitializeResult } from '../types/protocol/lifecycle.ts'
import { isLegacyVersion, type LegacyVersion, type ProtocolVersion } from '../types/protocol/versions.ts'
import { sieveResult } from '../wire/check.ts'
import { handshakeCapabilities } from './capabilities.ts'
import type { ServerRequestContext } from './context.ts'
import { MAX_CLIENT_BYTES, tooLarge } from './subscriptions/kept-bytes.ts'

/** Agrees on a revision and, once every middleware has let that pass, makes it the connection's. */
export function initialize(ctx: ServerRequestContext, params: InitializeRequestParams): InitializeResult {
  const { server, connection } = ctx
  if (connection.clientParams !== undefined) {
    throw new MCPError(ErrorCode.InvalidRequest, 'The connection is initialized already')
  }
  const version = chooseVersion(server.supportedVersions, params.protocolVersion)
  const bytes = weigh(params, MAX_CLIENT_BYTES)
  if (bytes > MAX_CLIENT_BYTES) throw tooLarge('initialize', 'bytes of clientInfo and capabilities', MAX_CLIENT_BYTES)
  connection.keep(bytes, server.kept)
  // Nothing is agreed before the whole chain has let the answer pass, and then it is what the answer says.
  ctx.onSuccess((result) => {
    const agreed = result['protocolVersion']
    const declared = result['capabilities'] as ServerCapabilities
    connection.establish(isLegacyVersion(agreed) ? agreed : version, params, declared)
  })
  const result: InitializeResult = {
    protocolVersion: version,
    capabilities: handshakeCapabilities(server),
    serverInfo: server.info,
    ...(server.instructions !== undefined && { instructions: server.instructions }),
  }
  return sieveResult('initialize', version, result)
}

/** The one asked for where we serve it, else our newest that has a handshake. */
function chooseVersion(supported: readonly ProtocolVersion[], requested: string): LegacyVersion {
  const offered = supported.filter(isLegacyVersion)
  const version = offered.find((candidate) => candidate === requested) ?? offered.at(-1)
  // Spec, Versioning: a server without the handshake names what it speaks; the client has no other way to tell its user.
  if (version === undefined) throw new UnsupportedProtocolVersionError(supported, requested.slice(0, 128))
  return version
}

export function ping(): Record<string, never> {
  return {}
}

/** From here on the client sees messages of this level and above. */
export function setLevel(
  { connection }: ServerRequestContext,
  { level }: SetLevelRequestParams,
): Record<string, never> {
  connection.logLevel = level
  return {}
}

// What a task keeps of the request that created it, as the text that a store holds.
import type { Claim } from '../../../../backend/task-store.ts'
import { isPlainObject } from '../../../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../../../server/context.ts'
import { originOf } from '../../../../server/context.ts'
import { traceOf } from '../../../../server/kept-trace.ts'
import type { RunFacts } from '../../../../server/task-run.ts'
import type { AuthInfo } from '../../../../types/protocol/auth.ts'
import type { ClientCapabilities } from '../../../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../../../types/protocol/json.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PATIENCE_IS_TOTAL_META_KEY,
  PATIENCE_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '../../../../types/protocol/meta.ts'
import type { Implementation } from '../../../../types/protocol/metadata.ts'
import { isModernVersion } from '../../../../types/protocol/versions.ts'
import { stampEnvelope } from '../../../../wire/envelope.ts'

const VERSION = 1

/** Names are short: a server may hold ten thousand of these. */
interface StoredInput {
  readonly v: typeof VERSION
  /** The protocol version of the call. */
  readonly p: string
  readonly capabilities: ClientCapabilities
  readonly client?: Implementation | undefined
  readonly auth?: AuthInfo | undefined
  readonly arguments?: unknown
  readonly meta?: JSONObject | undefined
  /** The sealed header `authorization`, where the author asked to keep it. */
  readonly sealed?: string | undefined
  /** The trace context of the span of the request. */
  readonly trace?: JSONObject | undefined
}

/** What belongs to the one request, or is kept elsewhere. */
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PATIENCE_META_KEY,
  PATIENCE_IS_TOTAL_META_KEY,
])

/** Writes the params as they came in: a run passes through the middleware that may have changed them. */
export function writeInput(request: ServerRequestContext, sealed?: string): string {
  const { protocolVersion, clientCapabilities, clientInfo, auth, params = {} } = originOf(request)
  const input: StoredInput = {
    v: VERSION,
    p: protocolVersion,
    capabilities: clientCapabilities,
    client: clientInfo,
    auth,
    arguments: params['arguments'],
    meta: metaToKeep(params['_meta']),
    sealed,
    trace: traceOf(request),
  }
  return JSON.stringify(input)
}

function metaToKeep(meta: unknown): JSONObject | undefined {
  if (!isPlainObject(meta)) return undefined
  const entries = Object.entries(meta).filter(([key]) => !ENVELOPE_KEYS.has(key))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Whether the task belongs to the flow of revision 2025-11-25. */
export function isCoreTask({ kind, input }: Pick<Claim, 'kind' | 'input'>): boolean {
  return !isModernVersion(readInput(kind, input).facts.envelope.protocolVersion)
}

/** The call that a run makes. */
export interface ReadInput {
  readonly facts: RunFacts
  readonly params: JSONObject
  readonly sealed: string | undefined
}

/** Throws `TypeError` for a text that was not written here. */
export function readInput(tool: string, text: string): ReadInput {
  const input = JSON.parse(text) as StoredInput
  if (!isPlainObject(input) || input.v !== VERSION) throw new TypeError('The input of a task has another format.')
  const { p: protocolVersion, capabilities, client, auth, meta } = input
  const envelope = {
    protocolVersion,
    clientCapabilities: capabilities,
    ...(client !== undefined && { clientInfo: client }),
  }
  const params: JSONObject = {
    name: tool,
    ...(input.arguments !== undefined && { arguments: input.arguments }),
    ...(meta !== undefined && { _meta: meta }),
  }
  return {
    facts: { envelope, auth, trace: input.trace },
    params: isModernVersion(protocolVersion) ? stampEnvelope(params, envelope) : params,
    sealed: input.sealed,
  }
}

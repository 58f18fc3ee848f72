// What differs between the eras of the protocol, as one interface: chosen once per connection.
import type { SendHints } from '../../dispatcher/channel.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import type { Envelope } from '../../wire/envelope.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import type { RequestRow } from '../../wire/methods.ts'
import type { Misfit } from '../../wire/shapes/misfit.ts'
import type { ResultClaim } from '../extensions/extension.ts'
import type { DrivenSessionOptions } from './session-options.ts'

/** A message without what its era adds to it. */
export interface UnstampedMessage {
  readonly method: string
  readonly params: JSONObject | undefined
  readonly hints?: SendHints | undefined
  /** The member of `params` that `Mcp-Name` repeats. */
  readonly nameParam?: string | undefined
  /** How long the caller waits, where the server is to know. */
  readonly patienceMs?: number | undefined
  /** The annotated arguments of the tool, where they are not those that a listing has taught this session. */
  readonly annotations?: readonly HeaderAnnotation[] | undefined
}

/** A message as the dispatcher sends it. */
export interface StampedMessage {
  readonly params: JSONObject | undefined
  readonly hints: SendHints | undefined
}

/** A request of the server to the client, or one within a result. */
export interface Question {
  readonly method: string
  readonly params?: JSONObject | undefined
}

export interface Era {
  /** The revision that messages are checked against. */
  readonly version: ProtocolVersion
  /** False until both sides have agreed on a revision. */
  readonly isNegotiated: boolean
  /** What this client declares. */
  readonly capabilities: ClientCapabilities
  /** The results that belong to extensions, by `resultType`. */
  readonly claims: ReadonlyMap<string, ResultClaim>
  readonly claimedTypes: ReadonlySet<string>
  /** Whether results have a `resultType`. In other eras a member of that name means nothing. */
  readonly hasResultTypes: boolean
  /** Whether a server may send requests of its own. */
  readonly hasServerRequests: boolean
  /** Whether tools can have an output schema. */
  readonly hasOutputSchemas: boolean
  /** Whether annotated arguments are mirrored in headers. A tool with invalid annotations cannot be called then. */
  readonly mirrorsArguments: boolean
  /** Whether several messages may arrive as one batch. */
  readonly hasBatches: boolean
  /** The row of a request that a server may make of the client, by itself or within a result. */
  questionRow(method: string): RequestRow | undefined
  /** Where a question does not fit its shape. */
  questionMisfit(row: RequestRow, question: Question): Misfit | undefined
  stamp(message: UnstampedMessage): StampedMessage
  /** As `stamp`, for a message that is passed on for another client: with the envelope of that client, where the era has one. */
  stampFor(caller: CallerEnvelope | undefined, message: UnstampedMessage): StampedMessage
}

/** What a request says of the client that makes it; the revision is that of the session. */
export type CallerEnvelope = Omit<Envelope, 'protocolVersion'>

/** What an era needs from its session. */
export interface EraSource {
  readonly options: DrivenSessionOptions
  /** The annotated arguments of a tool, as far as the tool is known. */
  annotationsOf(toolName: unknown): readonly HeaderAnnotation[]
}

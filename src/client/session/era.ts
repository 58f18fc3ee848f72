// What differs between the eras of the protocol, as one interface: chosen once per connection, asked ever after.
import type { SendHints } from '../../dispatcher/channel.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import type { RequestRow } from '../../wire/methods.ts'
import type { Misfit } from '../../wire/shapes/misfit.ts'
import type { ResultClaim } from '../extensions/extension.ts'
import type { ClientSessionOptions } from './session-options.ts'

/** A message before the era has put its marks on it. */
export interface UnstampedMessage {
  readonly method: string
  readonly params: JSONObject | undefined
  readonly hints?: SendHints | undefined
  /** The member of `params` that `Mcp-Name` repeats. */
  readonly nameParam?: string | undefined
}

/** A message as it goes to the dispatcher. */
export interface StampedMessage {
  readonly params: JSONObject | undefined
  readonly hints: SendHints | undefined
}

/** Something that a server asks, without its envelope. */
export interface Question {
  readonly method: string
  readonly params?: JSONObject | undefined
}

export interface Era {
  /** The revision that messages are held against. */
  readonly version: ProtocolVersion
  /** False until the two sides have agreed on anything. */
  readonly isNegotiated: boolean
  /** What this client declares here. */
  readonly capabilities: ClientCapabilities
  /** The results that belong to extensions, by `resultType`. */
  readonly claims: ReadonlyMap<string, ResultClaim>
  readonly claimedTypes: ReadonlySet<string>
  /** Whether a server may send requests of its own. */
  readonly hasServerRequests: boolean
  /** Whether tools say what form their structured results have. */
  readonly hasOutputSchemas: boolean
  /** Whether annotated arguments are mirrored in headers, so that a tool with broken annotations cannot be called. */
  readonly mirrorsArguments: boolean
  /** Whether several messages may come as one. */
  readonly hasBatches: boolean
  /** The row of something that a server may ask here, by a request of its own or within a result. */
  questionRow(method: string): RequestRow | undefined
  /** Where a question with such a row does not have the form that it has here. */
  questionMisfit(row: RequestRow, question: Question): Misfit | undefined
  stamp(message: UnstampedMessage): StampedMessage
}

/** What an era takes from its session. */
export interface EraSource {
  readonly options: ClientSessionOptions
  /** The annotated arguments of a tool, as far as the tool is known. */
  annotationsOf(toolName: unknown): readonly HeaderAnnotation[]
}

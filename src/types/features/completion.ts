// Completion: suggestions while a user types an argument.
import type { FinishedResult, RequestParams } from '../protocol/base.ts'
import type { BaseMetadata } from '../protocol/metadata.ts'

export interface PromptReference extends BaseMetadata {
  /** Marks a prompt. */
  type: 'ref/prompt'
}

/** Called `ResourceReference` before 2025-06-18. */
export interface ResourceTemplateReference {
  /** Marks a resource template. */
  type: 'ref/resource'
  /** The URI, or the template, of the resource. */
  uri: string
}

export interface CompletionArgument {
  name: string
  /** What has been typed so far. */
  value: string
}

/** Since 2025-06-18. */
export interface CompletionContext {
  /** The arguments that have their value already. */
  arguments?: { [name: string]: string }
}

export interface Completion {
  /** At most 100. */
  values: string[]
  /** How many there are in all, which may be more than are sent. */
  total?: number
  hasMore?: boolean
}

export type CompleteRequestParams = RequestParams & {
  ref: PromptReference | ResourceTemplateReference
  argument: CompletionArgument
  /** Since 2025-06-18. */
  context?: CompletionContext
}

export interface CompleteRequest {
  method: 'completion/complete'
  params: CompleteRequestParams
}

export type CompleteResult = FinishedResult & {
  completion: Completion
}

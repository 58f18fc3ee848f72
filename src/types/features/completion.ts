// Completion: suggestions while a user types an argument.
import type { FinishedResult, RequestParams } from '../protocol/base.ts'
import type { BaseMetadata } from '../protocol/metadata.ts'

/** Names a prompt whose argument is completed. */
export interface PromptReference extends BaseMetadata {
  /** Marks a prompt. */
  type: 'ref/prompt'
}

/** The name of `ResourceTemplateReference` before 2025-06-18. */
export type ResourceReference = ResourceTemplateReference

/** Called `ResourceReference` before 2025-06-18. */
export interface ResourceTemplateReference {
  /** Marks a resource template. */
  type: 'ref/resource'
  /** The URI, or the template, of the resource. */
  uri: string
}

/** The argument to complete. */
export interface CompletionArgument {
  /** The name of the argument, or of the variable of a template. */
  name: string
  /** What has been typed so far. */
  value: string
}

/** Since 2025-06-18. */
export interface CompletionContext {
  /** The arguments that have their value already. */
  arguments?: { [name: string]: string }
}

/** Values that complete an argument. */
export interface Completion {
  /** At most 100. */
  values: string[]
  /** How many there are in all, which may be more than are sent. */
  total?: number
  /** True if there are more values than those sent. */
  hasMore?: boolean
}

/** What to complete. */
export type CompleteRequestParams = RequestParams & {
  /** The prompt or resource template. */
  ref: PromptReference | ResourceTemplateReference
  /** The argument, with what the user has typed. */
  argument: CompletionArgument
  /** Since 2025-06-18. */
  context?: CompletionContext
}

/** Requests values that complete an argument. */
export interface CompleteRequest {
  /** `completion/complete` completes an argument of a prompt or a variable of a template. */
  method: 'completion/complete'
  /** What to complete. */
  params: CompleteRequestParams
}

/** The answer to `completion/complete`. */
export type CompleteResult = FinishedResult & {
  /** The values. */
  completion: Completion
}

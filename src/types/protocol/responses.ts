// The answers to requests with their envelope, under the names of 2026-07-28.
import type { CompleteResult } from '../features/completion.ts'
import type { InputRequiredResult } from '../features/input-required.ts'
import type { GetPromptResult, ListPromptsResult } from '../features/prompts.ts'
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from '../features/resources.ts'
import type { SubscriptionsListenResult } from '../features/subscriptions.ts'
import type { CallToolResult, ListToolsResult } from '../features/tools.ts'
import type { JSONRPCResultResponse } from './jsonrpc.ts'
import type { DiscoverResult } from './lifecycle.ts'

type ResponseWith<Result> = Omit<JSONRPCResultResponse, 'result'> & {
  /** What was requested, in the shape that the method defines. */
  result: Result
}

/** The whole answer to `tools/call`: the result, or a request for input. */
export type CallToolResultResponse = ResponseWith<CallToolResult | InputRequiredResult>

/** The whole answer to `completion/complete`. */
export type CompleteResultResponse = ResponseWith<CompleteResult>

/** The whole answer to `server/discover`. */
export type DiscoverResultResponse = ResponseWith<DiscoverResult>

/** The whole answer to `prompts/get`: the result, or a request for input. */
export type GetPromptResultResponse = ResponseWith<GetPromptResult | InputRequiredResult>

/** The whole answer to `prompts/list`. */
export type ListPromptsResultResponse = ResponseWith<ListPromptsResult>

/** The whole answer to `resources/list`. */
export type ListResourcesResultResponse = ResponseWith<ListResourcesResult>

/** The whole answer to `resources/templates/list`. */
export type ListResourceTemplatesResultResponse = ResponseWith<ListResourceTemplatesResult>

/** The whole answer to `tools/list`. */
export type ListToolsResultResponse = ResponseWith<ListToolsResult>

/** The whole answer to `resources/read`: the result, or a request for input. */
export type ReadResourceResultResponse = ResponseWith<ReadResourceResult | InputRequiredResult>

/** The whole answer to `subscriptions/listen`, sent when the server ends the subscription. */
export type SubscriptionsListenResultResponse = ResponseWith<SubscriptionsListenResult>

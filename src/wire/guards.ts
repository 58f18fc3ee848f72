// Type guards for what a program meets on the wire. Each one asks: is this such a thing in at least one revision?

import type { CompleteResult } from '../types/features/completion.ts'
import type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from '../types/features/content.ts'
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from '../types/features/elicitation.ts'
import type { InputRequest, InputRequiredResult, InputResponse } from '../types/features/input-required.ts'
import type { GetPromptResult, ListPromptsResult, Prompt, PromptMessage } from '../types/features/prompts.ts'
import type {
  BlobResourceContents,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  TextResourceContents,
} from '../types/features/resources.ts'
import type { ListRootsResult, Root } from '../types/features/roots.ts'
import type {
  CreateMessageResult,
  SamplingMessage,
  SamplingMessageContentBlock,
  ToolResultContent,
  ToolUseContent,
} from '../types/features/sampling.ts'
import type { SubscriptionsListenResult } from '../types/features/subscriptions.ts'
import type {
  CancelTaskResult,
  CreateTaskResult,
  GetTaskResult,
  ListTasksResult,
  Task,
} from '../types/features/tasks.ts'
import type { CallToolResult, ListToolsResult, Tool } from '../types/features/tools.ts'
import type { ClientCapabilities, ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { DiscoverResult, InitializeResult } from '../types/protocol/lifecycle.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import { PROTOCOL_VERSIONS } from '../types/protocol/versions.ts'
import { grammarOf, type ShapeName } from './shapes/grammar.ts'

type Guard<T> = (value: unknown) => value is T

const NEWEST_FIRST = PROTOCOL_VERSIONS.toReversed()

function fits<T>(name: ShapeName, value: unknown): value is T {
  return NEWEST_FIRST.some((version) => {
    const grammar = grammarOf(version)
    return grammar.has(name) && grammar.misfit(name, value) === undefined
  })
}

// Content
/** True if the value has the shape of any content block. */
export const isContentBlock: Guard<ContentBlock> = (value) => fits<ContentBlock>('ContentBlock', value)
/** True if the value has the shape of text content. */
export const isTextContent: Guard<TextContent> = (value) => fits<TextContent>('TextContent', value)
/** True if the value has the shape of image content. */
export const isImageContent: Guard<ImageContent> = (value) => fits<ImageContent>('ImageContent', value)
/** True if the value has the shape of audio content. */
export const isAudioContent: Guard<AudioContent> = (value) => fits<AudioContent>('AudioContent', value)
/** True if the value has the shape of a link to a resource. */
export const isResourceLink: Guard<ResourceLink> = (value) => fits<ResourceLink>('ResourceLink', value)
/** True if the value has the shape of a resource within content. */
export const isEmbeddedResource: Guard<EmbeddedResource> = (value) => fits<EmbeddedResource>('EmbeddedResource', value)
/** True if the value has the shape of resource contents as text. */
export const isTextResourceContents: Guard<TextResourceContents> = (value) =>
  fits<TextResourceContents>('TextResourceContents', value)
/** True if the value has the shape of resource contents as base64. */
export const isBlobResourceContents: Guard<BlobResourceContents> = (value) =>
  fits<BlobResourceContents>('BlobResourceContents', value)
/** True if the value has the shape of a model's use of a tool. */
export const isToolUseContent: Guard<ToolUseContent> = (value) => fits<ToolUseContent>('ToolUseContent', value)
/** True if the value has the shape of a tool's result for a model. */
export const isToolResultContent: Guard<ToolResultContent> = (value) =>
  fits<ToolResultContent>('ToolResultContent', value)
/** True if the value has the shape of content in sampling. */
export const isSamplingMessageContentBlock: Guard<SamplingMessageContentBlock> = (value) =>
  fits<SamplingMessageContentBlock>('SamplingMessageContentBlock', value)

// What is listed, and who lists it
/** True if the value has the shape of a tool in a list. */
export const isTool: Guard<Tool> = (value) => fits<Tool>('Tool', value)
/** True if the value has the shape of a resource in a list. */
export const isResource: Guard<Resource> = (value) => fits<Resource>('Resource', value)
/** True if the value has the shape of a resource template in a list. */
export const isResourceTemplate: Guard<ResourceTemplate> = (value) => fits<ResourceTemplate>('ResourceTemplate', value)
/** True if the value has the shape of a prompt in a list. */
export const isPrompt: Guard<Prompt> = (value) => fits<Prompt>('Prompt', value)
/** True if the value has the shape of a message of a prompt. */
export const isPromptMessage: Guard<PromptMessage> = (value) => fits<PromptMessage>('PromptMessage', value)
/** True if the value has the shape of a message in sampling. */
export const isSamplingMessage: Guard<SamplingMessage> = (value) => fits<SamplingMessage>('SamplingMessage', value)
/** True if the value has the shape of a root. */
export const isRoot: Guard<Root> = (value) => fits<Root>('Root', value)
/** True if the value has the shape of a task of revision 2025-11-25. */
export const isTask: Guard<Task> = (value) => fits<Task>('Task', value)
/** True if the value has the shape of `clientInfo` or `serverInfo`. */
export const isImplementation: Guard<Implementation> = (value) => fits<Implementation>('Implementation', value)
/** True if the value has the shape of a client's capabilities. */
export const isClientCapabilities: Guard<ClientCapabilities> = (value) =>
  fits<ClientCapabilities>('ClientCapabilities', value)
/** True if the value has the shape of a server's capabilities. */
export const isServerCapabilities: Guard<ServerCapabilities> = (value) =>
  fits<ServerCapabilities>('ServerCapabilities', value)

// Results of a server
/** True if the value has the shape of an answer to `initialize`. */
export const isInitializeResult: Guard<InitializeResult> = (value) => fits<InitializeResult>('InitializeResult', value)
/** True if the value has the shape of an answer to `server/discover`. */
export const isDiscoverResult: Guard<DiscoverResult> = (value) => fits<DiscoverResult>('DiscoverResult', value)
/** True if the value has the shape of an answer to `tools/list`. */
export const isListToolsResult: Guard<ListToolsResult> = (value) => fits<ListToolsResult>('ListToolsResult', value)
/** True if the value has the shape of an answer to `tools/call`. */
export const isCallToolResult: Guard<CallToolResult> = (value) => fits<CallToolResult>('CallToolResult', value)
/** True if the value has the shape of an answer to `resources/list`. */
export const isListResourcesResult: Guard<ListResourcesResult> = (value) =>
  fits<ListResourcesResult>('ListResourcesResult', value)
/** True if the value has the shape of an answer to `resources/templates/list`. */
export const isListResourceTemplatesResult: Guard<ListResourceTemplatesResult> = (value) =>
  fits<ListResourceTemplatesResult>('ListResourceTemplatesResult', value)
/** True if the value has the shape of an answer to `resources/read`. */
export const isReadResourceResult: Guard<ReadResourceResult> = (value) =>
  fits<ReadResourceResult>('ReadResourceResult', value)
/** True if the value has the shape of an answer to `prompts/list`. */
export const isListPromptsResult: Guard<ListPromptsResult> = (value) =>
  fits<ListPromptsResult>('ListPromptsResult', value)
/** True if the value has the shape of an answer to `prompts/get`. */
export const isGetPromptResult: Guard<GetPromptResult> = (value) => fits<GetPromptResult>('GetPromptResult', value)
/** True if the value has the shape of an answer to `completion/complete`. */
export const isCompleteResult: Guard<CompleteResult> = (value) => fits<CompleteResult>('CompleteResult', value)
/** True if the value has the shape of an answer to `subscriptions/listen`. */
export const isSubscriptionsListenResult: Guard<SubscriptionsListenResult> = (value) =>
  fits<SubscriptionsListenResult>('SubscriptionsListenResult', value)
/** True if the value has the shape of a result that asks the user. */
export const isInputRequiredResult: Guard<InputRequiredResult> = (value) =>
  fits<InputRequiredResult>('InputRequiredResult', value)

// Questions to a client, and its answers
/** True if the value has the shape of a question within a result. */
export const isInputRequest: Guard<InputRequest> = (value) => fits<InputRequest>('InputRequest', value)
/** True if the value has the shape of an answer to such a question. */
export const isInputResponse: Guard<InputResponse> = (value) => fits<InputResponse>('InputResponse', value)
/** True if the value has the shape of a question by a form. */
export const isElicitRequestFormParams: Guard<ElicitRequestFormParams> = (value) =>
  fits<ElicitRequestFormParams>('ElicitRequestFormParams', value)
/** True if the value has the shape of a question by a web page. */
export const isElicitRequestURLParams: Guard<ElicitRequestURLParams> = (value) =>
  fits<ElicitRequestURLParams>('ElicitRequestURLParams', value)
/** True if the value has the shape of an answer to `elicitation/create`. */
export const isElicitResult: Guard<ElicitResult> = (value) => fits<ElicitResult>('ElicitResult', value)
/** True if the value has the shape of an answer to `sampling/createMessage`. */
export const isCreateMessageResult: Guard<CreateMessageResult> = (value) =>
  fits<CreateMessageResult>('CreateMessageResult', value)
/** True if the value has the shape of an answer to `roots/list`. */
export const isListRootsResult: Guard<ListRootsResult> = (value) => fits<ListRootsResult>('ListRootsResult', value)

// Tasks of 2025-11-25
/** True if the value has the shape of an answer that is a task of revision 2025-11-25. */
export const isCreateTaskResult: Guard<CreateTaskResult> = (value) => fits<CreateTaskResult>('CreateTaskResult', value)
/** True if the value has the shape of an answer to `tasks/get` of revision 2025-11-25. */
export const isGetTaskResult: Guard<GetTaskResult> = (value) => fits<GetTaskResult>('GetTaskResult', value)
/** True if the value has the shape of an answer to `tasks/cancel` of revision 2025-11-25. */
export const isCancelTaskResult: Guard<CancelTaskResult> = (value) => fits<CancelTaskResult>('CancelTaskResult', value)
/** True if the value has the shape of an answer to `tasks/list` of revision 2025-11-25. */
export const isListTasksResult: Guard<ListTasksResult> = (value) => fits<ListTasksResult>('ListTasksResult', value)

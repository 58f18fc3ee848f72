// Type guards for what a program meets on the wire. Each one asks: is this such a thing in at least one revision?
import type { ClientCapabilities, ServerCapabilities } from '../types/capabilities.ts'
import type { CompleteResult } from '../types/completion.ts'
import type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from '../types/content.ts'
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from '../types/elicitation.ts'
import type { Implementation } from '../types/implementation.ts'
import type { InputRequest, InputRequiredResult, InputResponse } from '../types/input-required.ts'
import type { DiscoverResult, InitializeResult } from '../types/lifecycle.ts'
import type { GetPromptResult, ListPromptsResult, Prompt, PromptMessage } from '../types/prompts.ts'
import type {
  BlobResourceContents,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  TextResourceContents,
} from '../types/resources.ts'
import type { ListRootsResult, Root } from '../types/roots.ts'
import type {
  CreateMessageResult,
  SamplingMessage,
  SamplingMessageContentBlock,
  ToolResultContent,
  ToolUseContent,
} from '../types/sampling.ts'
import type { SubscriptionsListenResult } from '../types/subscriptions.ts'
import type { CancelTaskResult, CreateTaskResult, GetTaskResult, ListTasksResult, Task } from '../types/tasks.ts'
import type { CallToolResult, ListToolsResult, Tool } from '../types/tools.ts'
import { PROTOCOL_VERSIONS } from '../types/versions.ts'
import { grammarOf, type ShapeName } from './grammar.ts'

type Guard<T> = (value: unknown) => value is T

const NEWEST_FIRST = PROTOCOL_VERSIONS.toReversed()

function guard<T>(name: ShapeName): Guard<T> {
  return (value): value is T =>
    NEWEST_FIRST.some((version) => {
      const grammar = grammarOf(version)
      return grammar.has(name) && grammar.misfit(name, value) === undefined
    })
}

// Content
export const isContentBlock: Guard<ContentBlock> = guard('ContentBlock')
export const isTextContent: Guard<TextContent> = guard('TextContent')
export const isImageContent: Guard<ImageContent> = guard('ImageContent')
export const isAudioContent: Guard<AudioContent> = guard('AudioContent')
export const isResourceLink: Guard<ResourceLink> = guard('ResourceLink')
export const isEmbeddedResource: Guard<EmbeddedResource> = guard('EmbeddedResource')
export const isTextResourceContents: Guard<TextResourceContents> = guard('TextResourceContents')
export const isBlobResourceContents: Guard<BlobResourceContents> = guard('BlobResourceContents')
export const isToolUseContent: Guard<ToolUseContent> = guard('ToolUseContent')
export const isToolResultContent: Guard<ToolResultContent> = guard('ToolResultContent')
export const isSamplingMessageContentBlock: Guard<SamplingMessageContentBlock> = guard('SamplingMessageContentBlock')

// What is listed, and who lists it
export const isTool: Guard<Tool> = guard('Tool')
export const isResource: Guard<Resource> = guard('Resource')
export const isResourceTemplate: Guard<ResourceTemplate> = guard('ResourceTemplate')
export const isPrompt: Guard<Prompt> = guard('Prompt')
export const isPromptMessage: Guard<PromptMessage> = guard('PromptMessage')
export const isSamplingMessage: Guard<SamplingMessage> = guard('SamplingMessage')
export const isRoot: Guard<Root> = guard('Root')
export const isTask: Guard<Task> = guard('Task')
export const isImplementation: Guard<Implementation> = guard('Implementation')
export const isClientCapabilities: Guard<ClientCapabilities> = guard('ClientCapabilities')
export const isServerCapabilities: Guard<ServerCapabilities> = guard('ServerCapabilities')

// Results of a server
export const isInitializeResult: Guard<InitializeResult> = guard('InitializeResult')
export const isDiscoverResult: Guard<DiscoverResult> = guard('DiscoverResult')
export const isListToolsResult: Guard<ListToolsResult> = guard('ListToolsResult')
export const isCallToolResult: Guard<CallToolResult> = guard('CallToolResult')
export const isListResourcesResult: Guard<ListResourcesResult> = guard('ListResourcesResult')
export const isListResourceTemplatesResult: Guard<ListResourceTemplatesResult> = guard('ListResourceTemplatesResult')
export const isReadResourceResult: Guard<ReadResourceResult> = guard('ReadResourceResult')
export const isListPromptsResult: Guard<ListPromptsResult> = guard('ListPromptsResult')
export const isGetPromptResult: Guard<GetPromptResult> = guard('GetPromptResult')
export const isCompleteResult: Guard<CompleteResult> = guard('CompleteResult')
export const isSubscriptionsListenResult: Guard<SubscriptionsListenResult> = guard('SubscriptionsListenResult')
export const isInputRequiredResult: Guard<InputRequiredResult> = guard('InputRequiredResult')

// Questions to a client, and its answers
export const isInputRequest: Guard<InputRequest> = guard('InputRequest')
export const isInputResponse: Guard<InputResponse> = guard('InputResponse')
export const isElicitRequestFormParams: Guard<ElicitRequestFormParams> = guard('ElicitRequestFormParams')
export const isElicitRequestURLParams: Guard<ElicitRequestURLParams> = guard('ElicitRequestURLParams')
export const isElicitResult: Guard<ElicitResult> = guard('ElicitResult')
export const isCreateMessageResult: Guard<CreateMessageResult> = guard('CreateMessageResult')
export const isListRootsResult: Guard<ListRootsResult> = guard('ListRootsResult')

// Tasks of 2025-11-25
export const isCreateTaskResult: Guard<CreateTaskResult> = guard('CreateTaskResult')
export const isGetTaskResult: Guard<GetTaskResult> = guard('GetTaskResult')
export const isCancelTaskResult: Guard<CancelTaskResult> = guard('CancelTaskResult')
export const isListTasksResult: Guard<ListTasksResult> = guard('ListTasksResult')

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
export const isContentBlock: Guard<ContentBlock> = (value) => fits<ContentBlock>('ContentBlock', value)
export const isTextContent: Guard<TextContent> = (value) => fits<TextContent>('TextContent', value)
export const isImageContent: Guard<ImageContent> = (value) => fits<ImageContent>('ImageContent', value)
export const isAudioContent: Guard<AudioContent> = (value) => fits<AudioContent>('AudioContent', value)
export const isResourceLink: Guard<ResourceLink> = (value) => fits<ResourceLink>('ResourceLink', value)
export const isEmbeddedResource: Guard<EmbeddedResource> = (value) => fits<EmbeddedResource>('EmbeddedResource', value)
export const isTextResourceContents: Guard<TextResourceContents> = (value) =>
  fits<TextResourceContents>('TextResourceContents', value)
export const isBlobResourceContents: Guard<BlobResourceContents> = (value) =>
  fits<BlobResourceContents>('BlobResourceContents', value)
export const isToolUseContent: Guard<ToolUseContent> = (value) => fits<ToolUseContent>('ToolUseContent', value)
export const isToolResultContent: Guard<ToolResultContent> = (value) =>
  fits<ToolResultContent>('ToolResultContent', value)
export const isSamplingMessageContentBlock: Guard<SamplingMessageContentBlock> = (value) =>
  fits<SamplingMessageContentBlock>('SamplingMessageContentBlock', value)

// What is listed, and who lists it
export const isTool: Guard<Tool> = (value) => fits<Tool>('Tool', value)
export const isResource: Guard<Resource> = (value) => fits<Resource>('Resource', value)
export const isResourceTemplate: Guard<ResourceTemplate> = (value) => fits<ResourceTemplate>('ResourceTemplate', value)
export const isPrompt: Guard<Prompt> = (value) => fits<Prompt>('Prompt', value)
export const isPromptMessage: Guard<PromptMessage> = (value) => fits<PromptMessage>('PromptMessage', value)
export const isSamplingMessage: Guard<SamplingMessage> = (value) => fits<SamplingMessage>('SamplingMessage', value)
export const isRoot: Guard<Root> = (value) => fits<Root>('Root', value)
export const isTask: Guard<Task> = (value) => fits<Task>('Task', value)
export const isImplementation: Guard<Implementation> = (value) => fits<Implementation>('Implementation', value)
export const isClientCapabilities: Guard<ClientCapabilities> = (value) =>
  fits<ClientCapabilities>('ClientCapabilities', value)
export const isServerCapabilities: Guard<ServerCapabilities> = (value) =>
  fits<ServerCapabilities>('ServerCapabilities', value)

// Results of a server
export const isInitializeResult: Guard<InitializeResult> = (value) => fits<InitializeResult>('InitializeResult', value)
export const isDiscoverResult: Guard<DiscoverResult> = (value) => fits<DiscoverResult>('DiscoverResult', value)
export const isListToolsResult: Guard<ListToolsResult> = (value) => fits<ListToolsResult>('ListToolsResult', value)
export const isCallToolResult: Guard<CallToolResult> = (value) => fits<CallToolResult>('CallToolResult', value)
export const isListResourcesResult: Guard<ListResourcesResult> = (value) =>
  fits<ListResourcesResult>('ListResourcesResult', value)
export const isListResourceTemplatesResult: Guard<ListResourceTemplatesResult> = (value) =>
  fits<ListResourceTemplatesResult>('ListResourceTemplatesResult', value)
export const isReadResourceResult: Guard<ReadResourceResult> = (value) =>
  fits<ReadResourceResult>('ReadResourceResult', value)
export const isListPromptsResult: Guard<ListPromptsResult> = (value) =>
  fits<ListPromptsResult>('ListPromptsResult', value)
export const isGetPromptResult: Guard<GetPromptResult> = (value) => fits<GetPromptResult>('GetPromptResult', value)
export const isCompleteResult: Guard<CompleteResult> = (value) => fits<CompleteResult>('CompleteResult', value)
export const isSubscriptionsListenResult: Guard<SubscriptionsListenResult> = (value) =>
  fits<SubscriptionsListenResult>('SubscriptionsListenResult', value)
export const isInputRequiredResult: Guard<InputRequiredResult> = (value) =>
  fits<InputRequiredResult>('InputRequiredResult', value)

// Questions to a client, and its answers
export const isInputRequest: Guard<InputRequest> = (value) => fits<InputRequest>('InputRequest', value)
export const isInputResponse: Guard<InputResponse> = (value) => fits<InputResponse>('InputResponse', value)
export const isElicitRequestFormParams: Guard<ElicitRequestFormParams> = (value) =>
  fits<ElicitRequestFormParams>('ElicitRequestFormParams', value)
export const isElicitRequestURLParams: Guard<ElicitRequestURLParams> = (value) =>
  fits<ElicitRequestURLParams>('ElicitRequestURLParams', value)
export const isElicitResult: Guard<ElicitResult> = (value) => fits<ElicitResult>('ElicitResult', value)
export const isCreateMessageResult: Guard<CreateMessageResult> = (value) =>
  fits<CreateMessageResult>('CreateMessageResult', value)
export const isListRootsResult: Guard<ListRootsResult> = (value) => fits<ListRootsResult>('ListRootsResult', value)

// Tasks of 2025-11-25
export const isCreateTaskResult: Guard<CreateTaskResult> = (value) => fits<CreateTaskResult>('CreateTaskResult', value)
export const isGetTaskResult: Guard<GetTaskResult> = (value) => fits<GetTaskResult>('GetTaskResult', value)
export const isCancelTaskResult: Guard<CancelTaskResult> = (value) => fits<CancelTaskResult>('CancelTaskResult', value)
export const isListTasksResult: Guard<ListTasksResult> = (value) => fits<ListTasksResult>('ListTasksResult', value)

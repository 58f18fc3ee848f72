// Params and results travel as plain JSON objects, and a compiler still finds what is wrong with them.
import type {
  CallToolRequest,
  CallToolRequestParams,
  CallToolResult,
  ClientNotification,
  ClientRequest,
  ClientResult,
  CompleteRequestParams,
  ContentBlock,
  CreateMessageResult,
  DiscoverResult,
  EmptyResult,
  InputRequiredResult,
  InputResponses,
  JSONObject,
  JSONRPCRequest,
  ListToolsResult,
  Notification,
  Request,
  RequestMetaObject,
  Result,
  ServerNotification,
  ServerRequest,
  ServerResult,
  SubscriptionsListenResult,
} from '../../src/exports/types.ts'
import { type Fits, holds, type Same } from './assert.ts'

// Everything that crosses the dispatcher is a JSONObject without a cast.
holds<Fits<NonNullable<ClientRequest['params']>, JSONObject>>()
holds<Fits<NonNullable<ServerRequest['params']>, JSONObject>>()
holds<Fits<NonNullable<ClientNotification['params']>, JSONObject>>()
holds<Fits<NonNullable<ServerNotification['params']>, JSONObject>>()
holds<Fits<ClientResult, JSONObject>>()
holds<Fits<ServerResult, JSONObject>>()
holds<Fits<InputResponses[string], JSONObject>>()

// Each is also the general thing of its kind.
holds<Fits<ClientRequest | ServerRequest, Request>>()
holds<Fits<ClientNotification | ServerNotification, Notification>>()
holds<Fits<ServerResult, Result>>()
holds<Fits<CallToolRequest & { jsonrpc: '2.0'; id: 1 }, JSONRPCRequest>>()

// What came from a peer can be taken for what a check found it to be.
export const checked = (params: JSONObject) => params as CallToolRequestParams

export const call: CallToolRequestParams = {
  name: 'find_book',
  arguments: { title: 'Ulysses' },
  _meta: { progressToken: 1, 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'com.example/key': [1] },
}

// @ts-expect-error: the name is missing
export const nameless: CallToolRequestParams = { arguments: {} }

// @ts-expect-error: a misspelt member
export const misspeltParams: CallToolRequestParams = { name: 'x', argumnets: {} }

// @ts-expect-error: a misspelt member
export const misspeltResult: CallToolResult = { content: [], isEror: true }

// @ts-expect-error: an optional member is absent, not undefined
export const undefinedMember: CallToolResult = { content: [], isError: undefined }

// @ts-expect-error: content is a list
export const bareContent: CallToolResult = { content: { type: 'text', text: '' } }

// @ts-expect-error: an unknown kind of content
export const strangeContent: ContentBlock = { type: 'video', data: '' }

// @ts-expect-error: a reference is one of two kinds
export const strangeReference: CompleteRequestParams = { ref: { type: 'ref/tool' }, argument: { name: '', value: '' } }

// @ts-expect-error: a reserved key has its type
export const wrongMeta: RequestMetaObject = { 'io.modelcontextprotocol/clientInfo': 'me' }

// @ts-expect-error: the end of a subscription names it
export const namelessEnd: SubscriptionsListenResult = { resultType: 'complete' }

// What the modern era adds is optional, so that one type serves all revisions.
export const handshakeList: ListToolsResult = { tools: [] }
export const modernList: ListToolsResult = { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
export const discovery: DiscoverResult = { supportedVersions: ['2026-07-28'], capabilities: {} }
export const empty: EmptyResult = {}
export const vendorResult: Result = { resultType: 'com.example/later', ticket: 7 }

// `resultType` tells the answer from the question.
export function read(result: CallToolResult | InputRequiredResult): ContentBlock[] | string | undefined {
  return result.resultType === 'input_required' ? result.requestState : result.content
}

// @ts-expect-error: a question has no content
export const unread = (result: CallToolResult | InputRequiredResult) => result.content

// `type` tells content blocks apart.
export function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource') return 'text' in block.resource ? block.resource.text : block.resource.blob
  if (block.type === 'resource_link') return block.uri
  holds<Same<typeof block.type, 'image' | 'audio'>>()
  return block.data
}

// A provider's own stop reason is as good as ours.
export const stopped: CreateMessageResult = {
  role: 'assistant',
  content: [{ type: 'text', text: '' }],
  model: 'm',
  stopReason: 'content_filter',
}

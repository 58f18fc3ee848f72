// What a span and a measurement say of a message: names always, contents only on request.

import { ownMember } from '../primitives/json/objects.ts'
import type { ServerRequestContext } from '../server/context.ts'
import { withoutSecrets } from '../server/middleware/counted-requests.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import { Attribute, type Attributes } from './api.ts'

/** Names and uris come from the other side, of any length. */
const MAX_NAME_LENGTH = 256
const MAX_CONTENT_LENGTH = 16_384
const MAX_ID_LENGTH = 128

export interface Message {
  readonly method: string
  readonly params: JSONObject | undefined
}

/** `tools/call add`; a uri is no part of it, because there are too many of them. */
export function nameSpan(message: Message): string {
  const method = shorten(message.method)
  const name = readName(message, 'tools/call') ?? readName(message, 'prompts/get')
  return name === undefined ? method : `${method} ${name}`
}

/** What is good for a span and for a measurement alike. */
export function describeOperation(message: Message): Attributes {
  const attributes: Attributes = { [Attribute.MethodName]: shorten(message.method) }
  const tool = readName(message, 'tools/call')
  const prompt = readName(message, 'prompts/get')
  if (message.method === 'tools/call') attributes[Attribute.OperationName] = 'execute_tool'
  if (tool !== undefined) attributes[Attribute.ToolName] = tool
  if (prompt !== undefined) attributes[Attribute.PromptName] = prompt
  return attributes
}

/** What is good for a span only: there is no end of different values. */
export function describeDetails({ method, params }: Message, recordsArguments: boolean): Attributes {
  const attributes: Attributes = {}
  const uri = ownMember(params, 'uri')
  if (typeof uri === 'string') {
    attributes[Attribute.ResourceUri] = shorten(recordsArguments ? uri : withoutSecrets(uri))
  }
  const given = ownMember(params, 'arguments')
  if (recordsArguments && method === 'tools/call' && given !== undefined) {
    attributes[Attribute.ToolArguments] = toContent(given)
  }
  return attributes
}

/** Filled in once the request goes out: the id is given below all middleware. */
export interface SentAs {
  requestId?: RequestId
}

/** For a span only. */
export function describeRequestId({ requestId }: SentAs): Attributes {
  return requestId === undefined ? {} : { [Attribute.RequestId]: String(requestId).slice(0, MAX_ID_LENGTH) }
}

/** The result of a tool that did its work. */
export function describeResult({ method }: Message, result: JSONObject | undefined): Attributes {
  if (method !== 'tools/call' || result === undefined || result['isError'] === true) return {}
  return { [Attribute.ToolResult]: toContent(result['structuredContent'] ?? result['content']) }
}

function readName({ method, params }: Message, expected: string): string | undefined {
  const name = method === expected ? ownMember(params, 'name') : undefined
  return typeof name === 'string' ? shorten(name) : undefined
}

function shorten(text: string): string {
  return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text
}

function toContent(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > MAX_CONTENT_LENGTH ? `${text.slice(0, MAX_CONTENT_LENGTH)}…` : text
}

/** For spans only: there is no end of sessions. */
export function describeSession({ dispatch }: ServerRequestContext): Attributes {
  const sessionId = ownMember(dispatch.transport.headers, 'mcp-session-id')
  return typeof sessionId === 'string' ? { [Attribute.SessionId]: sessionId.slice(0, 128) } : {}
}

/** While it is being agreed on, the revision is what the answer says. */
export function describeVersion(ctx: ServerRequestContext, result: JSONObject | undefined): Attributes {
  const version = ctx.method === 'initialize' ? result?.['protocolVersion'] : ctx.protocolVersion
  return typeof version === 'string' ? { [Attribute.ProtocolVersion]: version } : {}
}

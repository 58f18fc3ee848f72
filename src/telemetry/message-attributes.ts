// The attributes of spans and measurements: names always, contents only if the options say so.

import { withoutSecrets } from '../primitives/command-line.ts'
import { ownMember } from '../primitives/json/objects.ts'
import type { ServerRequestContext } from '../server/context.ts'
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

/** For example `tools/call add`. Contains no URI, because there are too many of them. */
export function nameSpan(message: Message): string {
  const method = shorten(message.method)
  const name = readName(message, 'tools/call') ?? readName(message, 'prompts/get')
  return name === undefined ? method : `${method} ${name}`
}

/** Attributes for spans and measurements. */
export function describeOperation(message: Message): Attributes {
  const attributes: Attributes = { [Attribute.MethodName]: shorten(message.method) }
  const tool = readName(message, 'tools/call')
  const prompt = readName(message, 'prompts/get')
  if (message.method === 'tools/call') attributes[Attribute.OperationName] = 'execute_tool'
  if (tool !== undefined) attributes[Attribute.ToolName] = tool
  if (prompt !== undefined) attributes[Attribute.PromptName] = prompt
  return attributes
}

/** All in one new object. Not by spreads: V8 takes twenty times as long to add members to an object that was spread. */
export function joinAttributes(...parts: readonly (Attributes | undefined)[]): Attributes {
  return Object.assign({}, ...parts)
}

/** Attributes for spans only, because they have too many different values. */
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

/** Set when the request is sent: it gets its id below all middleware. */
export interface SentId {
  requestId?: RequestId
}

/** For a span only. */
export function describeRequestId({ requestId }: SentId): Attributes {
  return requestId === undefined ? {} : { [Attribute.RequestId]: String(requestId).slice(0, MAX_ID_LENGTH) }
}

/** The result of a tool that succeeded. */
export function describeToolResult({ method }: Message, result: JSONObject | undefined): Attributes {
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

/** For spans only, because there are too many sessions. */
export function describeSession({ dispatch }: ServerRequestContext): Attributes {
  const sessionId = ownMember(dispatch.transport.headers, 'mcp-session-id')
  return typeof sessionId === 'string' ? { [Attribute.SessionId]: sessionId.slice(0, 128) } : {}
}

/** During `initialize`, the revision is the one in the result. */
export function describeVersion(ctx: ServerRequestContext, result: JSONObject | undefined): Attributes {
  const version = ctx.method === 'initialize' ? result?.['protocolVersion'] : ctx.protocolVersion
  return typeof version === 'string' ? { [Attribute.ProtocolVersion]: version } : {}
}

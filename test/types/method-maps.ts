// The maps by method cover the unions exactly, and type a call by its first argument.
import type {
  CacheableMethod,
  CacheableResult,
  CallToolRequestParams,
  CallToolResult,
  ClientNotification,
  ClientNotificationParamsByMethod,
  ClientRequest,
  ClientRequestParamsByMethod,
  ClientRequestResultByMethod,
  CreateMessageResult,
  InputRequiredMethod,
  InputResponseRequestParams,
  JSONObject,
  NotificationParamsByMethod,
  PaginatedRequestParams,
  RequestParamsByMethod,
  ResultByMethod,
  ServerNotification,
  ServerNotificationParamsByMethod,
  ServerRequest,
  ServerRequestParamsByMethod,
  ServerRequestResultByMethod,
} from '../../src/exports/types.ts'
import { type Fits, holds, type Same } from './assert.ts'

// No method is missing from a map, and none is in it that nobody sends.
holds<Same<keyof ClientRequestParamsByMethod, ClientRequest['method']>>()
holds<Same<keyof ServerRequestParamsByMethod, ServerRequest['method']>>()
holds<Same<keyof RequestParamsByMethod, ClientRequest['method'] | ServerRequest['method']>>()
holds<Same<keyof ClientRequestResultByMethod, ClientRequest['method']>>()
holds<Same<keyof ServerRequestResultByMethod, ServerRequest['method']>>()
holds<Same<keyof ResultByMethod, keyof RequestParamsByMethod>>()
holds<Same<keyof ClientNotificationParamsByMethod, ClientNotification['method']>>()
holds<Same<keyof ServerNotificationParamsByMethod, ServerNotification['method']>>()
holds<Same<keyof NotificationParamsByMethod, ClientNotification['method'] | ServerNotification['method']>>()

// All of it can be handed to the dispatcher.
holds<Fits<RequestParamsByMethod[keyof RequestParamsByMethod], JSONObject>>()
holds<Fits<NotificationParamsByMethod[keyof NotificationParamsByMethod], JSONObject>>()
holds<Fits<ResultByMethod[keyof ResultByMethod], JSONObject>>()

holds<Same<RequestParamsByMethod['tools/call'], CallToolRequestParams>>()
holds<Same<RequestParamsByMethod['tools/list'], PaginatedRequestParams>>()
holds<Same<ResultByMethod['sampling/createMessage'], CreateMessageResult>>()

// The two lists of methods agree with the types of those methods.
holds<Fits<RequestParamsByMethod[InputRequiredMethod], InputResponseRequestParams>>()
holds<Fits<ResultByMethod[CacheableMethod], CacheableResult>>()

declare function sendRequest<Method extends keyof RequestParamsByMethod>(
  method: Method,
  params: RequestParamsByMethod[Method],
): Promise<ResultByMethod[Method]>

export async function call(): Promise<CallToolResult> {
  const { tools } = await sendRequest('tools/list', {})
  holds<Same<(typeof tools)[number]['name'], string>>()
  return sendRequest('tools/call', { name: 'find_book', arguments: { title: 'Ulysses' } })
}

// @ts-expect-error: no such method
sendRequest('tools/cal', {})

// @ts-expect-error: a resource is read by its URI
sendRequest('resources/read', { name: 'x' })

// @ts-expect-error: prompts take strings only
sendRequest('prompts/get', { name: 'x', arguments: { count: 1 } })

// Inside, a typed call becomes an untyped one without a cast.
declare function sendRawRequest(method: string, params: JSONObject): Promise<JSONObject>

export function forward<Method extends keyof RequestParamsByMethod>(
  method: Method,
  params: RequestParamsByMethod[Method],
): Promise<JSONObject> {
  return sendRawRequest(method, params)
}

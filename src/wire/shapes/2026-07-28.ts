// The shapes of revision 2026-07-28, as what it changed: an envelope on every request, result types, input requests,
// caching hints and subscriptions came; the handshake and tasks went.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
} from '../../types/protocol/meta.ts'
import { SHAPES_2025_11_25 } from './2025-11-25.ts'
import {
  anyOf,
  anything,
  array,
  atLeastOneOf,
  boolean,
  drop,
  extend,
  integer,
  integerFrom,
  object,
  oneOf,
  optional,
  record,
  type ShapeTable,
  string,
  tagged,
  without,
} from './shape.ts'

const before = drop(
  SHAPES_2025_11_25,
  'InitializeRequestParams',
  'InitializeResult',
  'SetLevelRequestParams',
  'SubscribeRequestParams',
  'UnsubscribeRequestParams',
  'ElicitationCompleteNotificationParams',
  'ToolExecution',
  'TaskStatus',
  'TaskMetadata',
  'RelatedTaskMetadata',
  'Task',
  'CreateTaskResult',
  'TaskRequestParams',
  'GetTaskResult',
  'GetTaskPayloadResult',
  'CancelTaskResult',
  'ListTasksResult',
  'TaskStatusNotificationParams',
)

const ENVELOPE = { _meta: 'RequestMetaObject' }
const RESULT_META = { _meta: optional('ResultMetaObject') }
const RESULT_TYPE = { resultType: 'ResultType' }
const CACHED = { ...RESULT_TYPE, ttlMs: integerFrom(0), cacheScope: oneOf('private', 'public') }
const INPUT = { inputResponses: optional('InputResponses'), requestState: optional(string) }
const EXTENSIONS = { extensions: optional(record('JSONObject')) }

const ResultMetaObject = () => object({ [SERVER_INFO_META_KEY]: optional('Implementation') })

export const SHAPES_2026_07_28 = {
  ...before,

  JSONValue: () => anything,
  JSONArray: () => array(anything),
  ResultType: () => string,

  RequestMetaObject: () =>
    object({
      [PROTOCOL_VERSION_META_KEY]: string,
      [CLIENT_CAPABILITIES_META_KEY]: 'ClientCapabilities',
      [CLIENT_INFO_META_KEY]: optional('Implementation'),
      [LOG_LEVEL_META_KEY]: optional('LoggingLevel'),
      progressToken: optional('ProgressToken'),
    }),
  NotificationMetaObject: () => object({ [SUBSCRIPTION_ID_META_KEY]: optional('RequestId') }),
  ResultMetaObject,

  RequestParams: () => object(ENVELOPE),
  PaginatedRequestParams: () => extend(before.PaginatedRequestParams(), ENVELOPE),
  Result: () => extend(before.Result(), RESULT_TYPE),

  // Discovery and capabilities
  ClientCapabilities: () =>
    extend(without(before.ClientCapabilities(), 'tasks'), EXTENSIONS, { roots: optional(object({})) }),
  ServerCapabilities: () => extend(without(before.ServerCapabilities(), 'tasks'), EXTENSIONS),
  DiscoverResult: () =>
    object({
      ...RESULT_META,
      ...CACHED,
      supportedVersions: array(string),
      capabilities: 'ServerCapabilities',
      instructions: optional(string),
    }),
  CancelledNotificationParams: () => extend(before.CancelledNotificationParams(), { requestId: 'RequestId' }),

  // Subscriptions
  SubscriptionFilter: () =>
    object({
      toolsListChanged: optional(boolean),
      promptsListChanged: optional(boolean),
      resourcesListChanged: optional(boolean),
      resourceSubscriptions: optional(array(string)),
    }),
  SubscriptionsListenRequestParams: () => object({ ...ENVELOPE, notifications: 'SubscriptionFilter' }),
  SubscriptionsListenResultMetaObject: () =>
    extend(ResultMetaObject(), {
      [SUBSCRIPTION_ID_META_KEY]: 'RequestId',
    }),
  SubscriptionsListenResult: () => object({ ...RESULT_TYPE, _meta: 'SubscriptionsListenResultMetaObject' }),
  SubscriptionsAcknowledgedNotificationParams: () =>
    object({
      _meta: optional('NotificationMetaObject'),
      notifications: 'SubscriptionFilter',
    }),

  // Resources, prompts, tools, completion
  ReadResourceRequestParams: () => extend(before.ReadResourceRequestParams(), ENVELOPE, INPUT),
  ListResourcesResult: () => extend(before.ListResourcesResult(), CACHED),
  ListResourceTemplatesResult: () => extend(before.ListResourceTemplatesResult(), CACHED),
  ReadResourceResult: () => extend(before.ReadResourceResult(), CACHED),
  GetPromptRequestParams: () => extend(before.GetPromptRequestParams(), ENVELOPE, INPUT),
  ListPromptsResult: () => extend(before.ListPromptsResult(), CACHED),
  GetPromptResult: () => extend(before.GetPromptResult(), RESULT_TYPE),
  Tool: () =>
    extend(without(before.Tool(), 'execution'), {
      inputSchema: object({ $schema: optional(string), type: oneOf('object') }),
      outputSchema: optional(object({ $schema: optional(string) })),
    }),
  CallToolRequestParams: () => extend(without(before.CallToolRequestParams(), 'task'), ENVELOPE, INPUT),
  ListToolsResult: () => extend(before.ListToolsResult(), CACHED),
  CallToolResult: () => extend(before.CallToolResult(), RESULT_TYPE, { structuredContent: optional(anything) }),
  CompleteRequestParams: () => extend(before.CompleteRequestParams(), ENVELOPE),
  CompleteResult: () =>
    extend(before.CompleteResult(), RESULT_TYPE, {
      completion: object({ values: array(string, 100), total: optional(integer), hasMore: optional(boolean) }),
    }),

  // Input requests: no request of their own any more, but part of a result; the answers are part of the retry.
  InputRequiredResult: () =>
    atLeastOneOf(
      object({
        ...RESULT_META,
        resultType: oneOf('input_required'),
        inputRequests: optional('InputRequests'),
        requestState: optional(string),
      }),
      'inputRequests',
      'requestState',
    ),
  InputRequests: () => record('InputRequest'),
  InputRequest: () =>
    tagged('method', {
      'elicitation/create': 'ElicitRequest',
      'sampling/createMessage': 'CreateMessageRequest',
      'roots/list': 'ListRootsRequest',
    }),
  InputResponses: () => record('InputResponse'),
  InputResponse: () => anyOf('CreateMessageResult', 'ListRootsResult', 'ElicitResult'),

  ToolResultContent: () => extend(before.ToolResultContent(), { structuredContent: optional(anything) }),
  CreateMessageRequest: () => object({ method: oneOf('sampling/createMessage'), params: 'CreateMessageRequestParams' }),
  CreateMessageRequestParams: () => without(before.CreateMessageRequestParams(), '_meta', 'task'),
  CreateMessageResult: () => extend(before.CreateMessageResult(), { _meta: optional('MetaObject') }),

  ListRootsRequest: () =>
    object({
      method: oneOf('roots/list'),
      params: optional(object({ _meta: optional('MetaObject') })),
    }),
  ListRootsResult: () => without(before.ListRootsResult(), '_meta'),

  ElicitRequest: () => object({ method: oneOf('elicitation/create'), params: 'ElicitRequestParams' }),
  ElicitRequestFormParams: () => without(before.ElicitRequestFormParams(), '_meta', 'task'),
  ElicitRequestURLParams: () => without(before.ElicitRequestURLParams(), '_meta', 'task', 'elicitationId'),
  ElicitResult: () => without(before.ElicitResult(), '_meta'),
} as const satisfies ShapeTable

// What of the published schemas our tables cover, and by what: a shape, a row of the method table, or a reason why not.

import type { ProtocolVersion } from '../../src/types/protocol/versions.ts'
import type { ShapeName } from '../../src/wire/shapes/grammar.ts'

/** Published definitions without a shape. */
export const NOT_SHAPED: readonly { reason: string; definitions: readonly string[] }[] = [
  {
    reason: 'A base that others extend. It is never sent as such; its members are in each shape that extends it.',
    definitions: [
      'Request',
      'Notification',
      'PaginatedRequest',
      'PaginatedResult',
      'CacheableResult',
      'BaseMetadata',
      'Icons',
      'ResourceContents',
      'ResourceRequestParams',
      'TaskAugmentedRequestParams',
      'InputResponseRequestParams',
    ],
  },
  {
    reason: 'The JSON-RPC envelope, which the dispatcher reads before any shape is asked.',
    definitions: [
      'JSONRPCMessage',
      'JSONRPCRequest',
      'JSONRPCNotification',
      'JSONRPCResponse',
      'JSONRPCResultResponse',
      'JSONRPCError',
      'JSONRPCErrorResponse',
      'JSONRPCBatchRequest',
      'JSONRPCBatchResponse',
    ],
  },
  {
    reason: 'Errors are read by types/errors, which falls back to a plain MCPError where the data does not fit.',
    definitions: [
      'Error',
      'ParseError',
      'InvalidRequestError',
      'MethodNotFoundError',
      'InvalidParamsError',
      'InternalError',
      'HeaderMismatchError',
      'MissingRequiredClientCapabilityError',
      'UnsupportedProtocolVersionError',
      'URLElicitationRequiredError',
    ],
  },
]

/** Published definitions under an older name. */
export const RENAMED: Readonly<Record<string, ShapeName>> = {
  ResourceReference: 'ResourceTemplateReference',
}

const META = { MetaObject: 'Result/_meta', ResultMetaObject: 'Result/_meta' }
const META_IN_PLACE = {
  ...META,
  RequestMetaObject: 'Request/params/_meta',
  NotificationMetaObject: 'Notification/params/_meta',
}
const OPEN_OBJECT = { JSONObject: 'ServerCapabilities/logging' }
const SAMPLING = { SamplingMessageContentBlock: 'SamplingMessage/content' }
const CONTENT = { ContentBlock: 'PromptMessage/content' }

/** Shapes that a revision publishes without giving them a name: where in its schema they stand. */
export const UNNAMED: Readonly<Record<ProtocolVersion, Readonly<Record<string, string>>>> = {
  '2024-11-05': { ...META_IN_PLACE, ...OPEN_OBJECT, ...SAMPLING, ...CONTENT, Annotations: 'Annotated/annotations' },
  '2025-03-26': { ...META_IN_PLACE, ...OPEN_OBJECT, ...SAMPLING, ...CONTENT },
  '2025-06-18': {
    ...META_IN_PLACE,
    ...OPEN_OBJECT,
    ...SAMPLING,
    LegacyTitledEnumSchema: 'EnumSchema',
    ElicitRequestFormParams: 'ElicitRequest/params',
  },
  '2025-11-25': {
    ...META,
    ...OPEN_OBJECT,
    RequestMetaObject: 'RequestParams/_meta',
    NotificationMetaObject: 'NotificationParams/_meta',
  },
  '2026-07-28': {},
}

// The shapes of revision 2025-11-25, as what it changed: icons, URL elicitation, sampling with tools, tasks.

import { SHAPES_2025_06_18 as before } from './2025-06-18.ts'
import {
  anyOf,
  anything,
  array,
  boolean,
  extend,
  integer,
  nullValue,
  number,
  object,
  oneOf,
  optional,
  record,
  type ShapeTable,
  string,
  tagged,
} from './shape.ts'

const ICONS = { icons: optional(array('Icon')) }
const META = { _meta: optional('MetaObject') }
const REQUEST_META = { _meta: optional('RequestMetaObject') }
const RESULT_META = { _meta: optional('ResultMetaObject') }
const NOTIFICATION_META = { _meta: optional('NotificationMetaObject') }
const TASK = { task: optional('TaskMetadata') }
const FLAG = optional('JSONObject')

const OBJECT_SCHEMA = object({
  $schema: optional(string),
  type: oneOf('object'),
  properties: optional(record('JSONObject')),
  required: optional(array(string)),
})

/** The members of every kind of choice, without the choices. */
const CHOICE = { title: optional(string), description: optional(string) }
const TITLED_CHOICES = array(object({ const: string, title: string }))
const MULTI_SELECT = {
  type: oneOf('array'),
  ...CHOICE,
  minItems: optional(integer),
  maxItems: optional(integer),
  default: optional(array(string)),
}

const Task = () =>
  object({
    taskId: string,
    status: 'TaskStatus',
    statusMessage: optional(string),
    createdAt: string,
    lastUpdatedAt: string,
    ttl: anyOf(integer, nullValue),
    pollInterval: optional(integer),
  })

export const SHAPES_2025_11_25 = {
  ...before,

  Icon: () =>
    object({
      src: string,
      mimeType: optional(string),
      sizes: optional(array(string)),
      theme: optional(oneOf('dark', 'light')),
    }),
  Implementation: () =>
    extend(before.Implementation(), ICONS, {
      description: optional(string),
      websiteUrl: optional(string),
    }),
  ClientCapabilities: () =>
    extend(before.ClientCapabilities(), {
      sampling: optional(object({ context: FLAG, tools: FLAG })),
      elicitation: optional(object({ form: FLAG, url: FLAG })),
      tasks: optional(
        object({
          list: FLAG,
          cancel: FLAG,
          requests: optional(
            object({
              sampling: optional(object({ createMessage: FLAG })),
              elicitation: optional(object({ create: FLAG })),
            }),
          ),
        }),
      ),
    }),
  ServerCapabilities: () =>
    extend(before.ServerCapabilities(), {
      tasks: optional(
        object({
          list: FLAG,
          cancel: FLAG,
          requests: optional(object({ tools: optional(object({ call: FLAG })) })),
        }),
      ),
    }),
  // A task is cancelled by `tasks/cancel`, so here the id became optional.
  CancelledNotificationParams: () => extend(before.CancelledNotificationParams(), { requestId: optional('RequestId') }),

  Resource: () => extend(before.Resource(), ICONS),
  ResourceLink: () => extend(before.ResourceLink(), ICONS),
  ResourceTemplate: () => extend(before.ResourceTemplate(), ICONS),
  Prompt: () => extend(before.Prompt(), ICONS),

  // Tools
  ToolExecution: () => object({ taskSupport: optional(oneOf('forbidden', 'optional', 'required')) }),
  Tool: () =>
    extend(before.Tool(), ICONS, {
      inputSchema: OBJECT_SCHEMA,
      outputSchema: optional(OBJECT_SCHEMA),
      execution: optional('ToolExecution'),
    }),
  CallToolRequestParams: () => extend(before.CallToolRequestParams(), TASK),

  // Sampling
  ToolUseContent: () => object({ type: oneOf('tool_use'), id: string, name: string, input: record(anything), ...META }),
  ToolResultContent: () =>
    object({
      type: oneOf('tool_result'),
      toolUseId: string,
      content: array('ContentBlock'),
      structuredContent: optional(record(anything)),
      isError: optional(boolean),
      ...META,
    }),
  SamplingMessageContentBlock: () =>
    tagged('type', {
      text: 'TextContent',
      image: 'ImageContent',
      audio: 'AudioContent',
      tool_use: 'ToolUseContent',
      tool_result: 'ToolResultContent',
    }),
  SamplingMessage: () =>
    extend(before.SamplingMessage(), META, {
      content: anyOf('SamplingMessageContentBlock', array('SamplingMessageContentBlock')),
    }),
  ToolChoice: () => object({ mode: optional(oneOf('auto', 'none', 'required')) }),
  CreateMessageRequestParams: () =>
    extend(before.CreateMessageRequestParams(), TASK, {
      tools: optional(array('Tool')),
      toolChoice: optional('ToolChoice'),
    }),
  CreateMessageResult: () =>
    extend(before.CreateMessageResult(), {
      content: anyOf('SamplingMessageContentBlock', array('SamplingMessageContentBlock')),
    }),

  // Elicitation
  StringSchema: () => extend(before.StringSchema(), { default: optional(string) }),
  NumberSchema: () => extend(before.NumberSchema(), { default: optional(number) }),
  LegacyTitledEnumSchema: () => extend(before.LegacyTitledEnumSchema(), { default: optional(string) }),
  UntitledSingleSelectEnumSchema: () =>
    object({
      type: oneOf('string'),
      ...CHOICE,
      enum: array(string),
      default: optional(string),
    }),
  TitledSingleSelectEnumSchema: () =>
    object({
      type: oneOf('string'),
      ...CHOICE,
      oneOf: TITLED_CHOICES,
      default: optional(string),
    }),
  SingleSelectEnumSchema: () => anyOf('UntitledSingleSelectEnumSchema', 'TitledSingleSelectEnumSchema'),
  UntitledMultiSelectEnumSchema: () =>
    object({
      ...MULTI_SELECT,
      items: object({ type: oneOf('string'), enum: array(string) }),
    }),
  TitledMultiSelectEnumSchema: () => object({ ...MULTI_SELECT, items: object({ anyOf: TITLED_CHOICES }) }),
  MultiSelectEnumSchema: () => anyOf('UntitledMultiSelectEnumSchema', 'TitledMultiSelectEnumSchema'),
  EnumSchema: () =>
    tagged('type', {
      string: anyOf('SingleSelectEnumSchema', 'LegacyTitledEnumSchema'),
      array: 'MultiSelectEnumSchema',
    }),
  PrimitiveSchemaDefinition: () =>
    tagged('type', {
      string: anyOf('StringSchema', 'SingleSelectEnumSchema', 'LegacyTitledEnumSchema'),
      number: 'NumberSchema',
      integer: 'NumberSchema',
      boolean: 'BooleanSchema',
      array: 'MultiSelectEnumSchema',
    }),
  ElicitRequestFormParams: () =>
    extend(before.ElicitRequestFormParams(), TASK, {
      mode: optional(oneOf('form')),
      requestedSchema: object({
        $schema: optional(string),
        type: oneOf('object'),
        properties: record('PrimitiveSchemaDefinition'),
        required: optional(array(string)),
      }),
    }),
  ElicitRequestURLParams: () =>
    object({
      ...REQUEST_META,
      ...TASK,
      mode: oneOf('url'),
      message: string,
      url: string,
      elicitationId: string,
    }),
  ElicitRequestParams: () => tagged('mode', { form: 'ElicitRequestFormParams', url: 'ElicitRequestURLParams' }, 'form'),
  ElicitResult: () =>
    extend(before.ElicitResult(), {
      content: optional(record(anyOf(string, number, boolean, array(string)))),
    }),
  ElicitationCompleteNotificationParams: () => object({ ...NOTIFICATION_META, elicitationId: string }),

  // Tasks
  TaskStatus: () => oneOf('cancelled', 'completed', 'failed', 'input_required', 'working'),
  TaskMetadata: () => object({ ttl: optional(integer) }),
  RelatedTaskMetadata: () => object({ taskId: string }),
  Task,
  CreateTaskResult: () => object({ ...RESULT_META, task: 'Task' }),
  TaskRequestParams: () => object({ ...REQUEST_META, taskId: string }),
  GetTaskResult: () => extend(Task(), RESULT_META),
  GetTaskPayloadResult: () => object(RESULT_META),
  CancelTaskResult: () => extend(Task(), RESULT_META),
  ListTasksResult: () => object({ ...RESULT_META, tasks: array('Task'), nextCursor: optional('Cursor') }),
  TaskStatusNotificationParams: () => extend(Task(), NOTIFICATION_META),
} as const satisfies ShapeTable

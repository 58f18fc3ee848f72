// The shapes of revision 2025-06-18, as what it changed: elicitation, structured output, resource links, titles, `_meta`.

import { SHAPES_2025_03_26 as before } from './2025-03-26.ts'
import {
  anyOf,
  anything,
  array,
  boolean,
  extend,
  integer,
  number,
  object,
  oneOf,
  optional,
  record,
  type ShapeTable,
  string,
  tagged,
} from './shape.ts'

const TITLE = { title: optional(string) }
const META = { _meta: optional('MetaObject') }

const Resource = () => extend(before.Resource(), TITLE, META)

export const SHAPES_2025_06_18 = {
  ...before,

  Implementation: () => extend(before.Implementation(), TITLE),
  ClientCapabilities: () => extend(before.ClientCapabilities(), { elicitation: optional('JSONObject') }),

  Annotations: () => extend(before.Annotations(), { lastModified: optional(string) }),
  TextContent: () => extend(before.TextContent(), META),
  ImageContent: () => extend(before.ImageContent(), META),
  AudioContent: () => extend(before.AudioContent(), META),
  EmbeddedResource: () => extend(before.EmbeddedResource(), META),
  ResourceLink: () => extend(Resource(), { type: oneOf('resource_link') }),
  ContentBlock: () =>
    tagged('type', {
      text: 'TextContent',
      image: 'ImageContent',
      audio: 'AudioContent',
      resource_link: 'ResourceLink',
      resource: 'EmbeddedResource',
    }),

  Resource,
  ResourceTemplate: () => extend(before.ResourceTemplate(), TITLE, META),
  TextResourceContents: () => extend(before.TextResourceContents(), META),
  BlobResourceContents: () => extend(before.BlobResourceContents(), META),
  Prompt: () => extend(before.Prompt(), TITLE, META),
  PromptArgument: () => extend(before.PromptArgument(), TITLE),
  Root: () => extend(before.Root(), META),

  Tool: () =>
    extend(before.Tool(), TITLE, META, {
      outputSchema: optional(
        object({
          type: oneOf('object'),
          properties: optional(record('JSONObject')),
          required: optional(array(string)),
        }),
      ),
    }),
  CallToolResult: () => extend(before.CallToolResult(), { structuredContent: optional(record(anything)) }),

  PromptReference: () => extend(before.PromptReference(), TITLE),
  CompleteRequestParams: () =>
    extend(before.CompleteRequestParams(), {
      context: optional(object({ arguments: optional(record(string)) })),
    }),

  // Elicitation
  BooleanSchema: () =>
    object({
      type: oneOf('boolean'),
      ...TITLE,
      description: optional(string),
      default: optional(boolean),
    }),
  StringSchema: () =>
    object({
      type: oneOf('string'),
      ...TITLE,
      description: optional(string),
      minLength: optional(integer),
      maxLength: optional(integer),
      format: optional(oneOf('date', 'date-time', 'email', 'uri')),
    }),
  NumberSchema: () =>
    object({
      type: oneOf('integer', 'number'),
      ...TITLE,
      description: optional(string),
      minimum: optional(number),
      maximum: optional(number),
    }),
  LegacyTitledEnumSchema: () =>
    object({
      type: oneOf('string'),
      ...TITLE,
      description: optional(string),
      enum: array(string),
      enumNames: optional(array(string)),
    }),
  EnumSchema: () => 'LegacyTitledEnumSchema',
  PrimitiveSchemaDefinition: () =>
    tagged('type', {
      string: anyOf('StringSchema', 'LegacyTitledEnumSchema'),
      number: 'NumberSchema',
      integer: 'NumberSchema',
      boolean: 'BooleanSchema',
    }),
  ElicitRequestFormParams: () =>
    object({
      _meta: optional('RequestMetaObject'),
      message: string,
      requestedSchema: object({
        type: oneOf('object'),
        properties: record('PrimitiveSchemaDefinition'),
        required: optional(array(string)),
      }),
    }),
  ElicitRequestParams: () => 'ElicitRequestFormParams',
  ElicitResult: () =>
    object({
      _meta: optional('ResultMetaObject'),
      action: oneOf('accept', 'cancel', 'decline'),
      content: optional(record(anyOf(string, number, boolean))),
    }),
} as const satisfies ShapeTable

// The shapes of revision 2025-03-26, as what it changed: audio, tool annotations, completions as a capability.

import { SHAPES_2024_11_05 as before } from './2024-11-05.ts'
import { boolean, extend, object, oneOf, optional, type ShapeTable, string, tagged } from './shape.ts'

export const SHAPES_2025_03_26 = {
  ...before,

  ServerCapabilities: () => extend(before.ServerCapabilities(), { completions: optional('JSONObject') }),
  ProgressNotificationParams: () => extend(before.ProgressNotificationParams(), { message: optional(string) }),

  AudioContent: () =>
    object({
      type: oneOf('audio'),
      data: string,
      mimeType: string,
      annotations: optional('Annotations'),
    }),
  ContentBlock: () =>
    tagged('type', {
      text: 'TextContent',
      image: 'ImageContent',
      audio: 'AudioContent',
      resource: 'EmbeddedResource',
    }),
  SamplingMessageContentBlock: () =>
    tagged('type', {
      text: 'TextContent',
      image: 'ImageContent',
      audio: 'AudioContent',
    }),

  ToolAnnotations: () =>
    object({
      title: optional(string),
      readOnlyHint: optional(boolean),
      destructiveHint: optional(boolean),
      idempotentHint: optional(boolean),
      openWorldHint: optional(boolean),
    }),
  Tool: () => extend(before.Tool(), { annotations: optional('ToolAnnotations') }),
} as const satisfies ShapeTable

// The same tool with every schema library. Each schema types the handler, is listed as JSON Schema, and validates.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { MCPServer } from 'mcpwire'
import { Type } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'

const server = new MCPServer('schemas', { version: '1.0.0' })

const area = ({ width, height = width }: { width: number; height?: number | undefined }) => width * height

server.tool('area_zod', { input: z.object({ width: z.number(), height: z.number().optional() }) }, area)

server.tool(
  'area_valibot',
  { input: toStandardJsonSchema(v.object({ width: v.number(), height: v.optional(v.number()) })) },
  area,
)

server.tool('area_arktype', { input: type({ width: 'number', 'height?': 'number' }) }, area)

server.tool(
  'area_typebox',
  { input: Type.Object({ width: Type.Number(), height: Type.Optional(Type.Number()) }) },
  area,
)

server.tool(
  'area_json_schema',
  {
    input: {
      type: 'object',
      properties: { width: { type: 'number' }, height: { type: 'number' } },
      required: ['width'],
    },
  },
  area,
)

await server.run()

// A tool out of an operation: what lists show, and the function that calls the API.
import type { Context } from '../mcpserver/handlers/context.ts'
import type { ToolDefinition, ToolOptions } from '../mcpserver/tools/tool.ts'
import type { JSONSchemaObject } from '../schema/json-schema.ts'
import type { ApiClient, OperationCall } from './call/api-client.ts'
import type { OpenAPITool } from './options.ts'
import { checkedSchema, lazySchema } from './schemas/lazy-schema.ts'

export function toToolDefinition(tool: OpenAPITool, call: OperationCall, client: ApiClient): ToolDefinition {
  const { name, input, output, next: _next, ...others } = tool
  const options: ToolOptions = {
    ...others,
    input: isJSONSchema(input) ? lazySchema(input) : input,
    ...(output !== undefined && { output: isJSONSchema(output) ? checkedSchema(output) : output }),
  }
  const run = (args: Record<string, unknown>, ctx: Context) => client.call(call, args, ctx)
  return { name, options, run }
}

function isJSONSchema(schema: object): schema is JSONSchemaObject {
  return !('~standard' in schema)
}

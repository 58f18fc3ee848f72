import { MCPServer } from 'mcpwire'

// @ts-expect-error: the compiler says so too.
new MCPServer({ name: 'demo', version: '1.0.0' })

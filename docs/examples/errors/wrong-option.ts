import { MCPServer } from 'mcpwire'

new MCPServer('demo', { pageSize: 0 })

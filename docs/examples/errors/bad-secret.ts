import { MCPServer } from 'mcpwire'

new MCPServer('demo', { requestState: { keys: ['too short'] } })

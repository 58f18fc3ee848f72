import { MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'

// @ts-expect-error: the compiler says so too.
new MCPServer('demo', { extensions: [tasks] })

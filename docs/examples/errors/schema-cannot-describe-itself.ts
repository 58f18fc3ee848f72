import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('demo')
server.tool('on', { input: z.object({ day: z.date() }) }, ({ day }) => day.toISOString())

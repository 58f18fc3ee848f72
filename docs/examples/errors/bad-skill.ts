import { MCPServer } from 'mcpwire'
import { skills } from 'mcpwire/extensions/skills'

const server = new MCPServer('demo', { extensions: [skills()] })
server.skill({ 'README.md': 'How to release a version.' })

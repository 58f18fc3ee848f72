import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.skill({ 'SKILL.md': '---\nname: demo\ndescription: A demo.\n---\nDo it.' })

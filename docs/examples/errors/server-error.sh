echo "import { MCPError, MCPServer } from 'mcpwire'
const server = new MCPServer('demo')
server.resource('a://b', () => { throw new MCPError(-32050, 'The archive is closed.') })
export default server" > server.js
mcpwire read server.js a://b

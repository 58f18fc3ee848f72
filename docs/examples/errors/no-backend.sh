echo "import { MCPServer } from 'mcpwire'
export default new MCPServer('demo')" > server.js
mcpwire worker server.js

echo "import { MCPServer } from 'mcpwire'
const server = new MCPServer('demo')
server.resource('note://today', () => ({ contents: ['one', 'two'].map((text) => ({ uri: 'note://today', text })) }))
export default server" > server.js
mcpwire read server.js note://today --save note.txt

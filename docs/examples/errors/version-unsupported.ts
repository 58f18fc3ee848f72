import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('demo', { supportedVersions: ['2025-11-25'] })
await Client.connect(server, { mode: 'modern' })

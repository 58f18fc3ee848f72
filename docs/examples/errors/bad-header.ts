import { streamableHttp } from 'mcpwire/client'

streamableHttp('https://example.com/mcp', { headers: { 'API key': 'secret' } })

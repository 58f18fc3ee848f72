import { createProxy } from 'mcpwire/proxy'

await createProxy('https://search.example.com/mcp').run()

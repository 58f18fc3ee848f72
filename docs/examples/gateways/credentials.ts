import { createProxy } from 'mcpwire/proxy'

const { SEARCH_TOKENS = '{}' } = process.env
const tokens = new Map<string, string>(Object.entries(JSON.parse(SEARCH_TOKENS)))

const proxy = createProxy('https://search.example.com/mcp', {
  credentials: ({ principal }) => {
    const token = tokens.get(principal?.subject ?? '')
    return token === undefined ? 'none' : { headers: { authorization: `Bearer ${token}` } }
  },
})
await proxy.run({ transport: 'http', port: 3000 })

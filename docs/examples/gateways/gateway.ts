import { createGateway } from 'mcpwire/proxy'

const gateway = createGateway({
  files: { command: 'npx', args: ['-y', 'some-files-server'] },
  search: 'https://search.example.com/mcp',
})
await gateway.run({ transport: 'http', port: 3000 })

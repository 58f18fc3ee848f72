import { Client } from 'mcpwire'

const client = await Client.connect(
  { command: process.execPath, args: [String(process.argv[2])] },
  { onElicitation: () => ({ action: 'decline' }) },
)

const result = await client.callTool(
  'echo',
  { message: 'hi' },
  { timeoutMs: 5_000 },
)
console.log(JSON.stringify(result.content))
await client.close()

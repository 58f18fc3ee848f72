import {
  createMemoryChannelPair,
  JSONRPCDispatcher,
} from 'mcpwire/dispatcher'

const [here, there] = createMemoryChannelPair()
const server = new JSONRPCDispatcher(there)
const client = new JSONRPCDispatcher(here)

void server.run(
  (_context, method, params) => ({ method, params }),
  () => {},
)
void client.run(
  () => ({}),
  () => {},
)

console.log(
  await client.sendRawRequest(
    'hello',
    { name: 'Ada' },
    { timeoutMs: 1_000 },
  ),
)
await client.close()

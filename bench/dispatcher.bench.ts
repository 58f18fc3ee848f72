// The cost of a call in the dispatcher alone, compared with the JSON of its two messages.
import { createDirectDispatcherPair } from '../src/dispatcher/direct-dispatcher.ts'
import type { Dispatcher } from '../src/dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../src/dispatcher/memory-channel.ts'
import { goal, measure, report } from './measure.ts'

const params = { name: 'add', arguments: { a: 1, b: 2 }, _meta: { progressToken: 1 } }
const result = { content: [{ type: 'text', text: '3' }], structuredContent: { result: 3 } }
const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
const response = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
const requestValue: unknown = JSON.parse(request)
const responseValue: unknown = JSON.parse(response)

function serve(caller: Dispatcher, callee: Dispatcher): Dispatcher {
  void callee.run(
    () => result,
    () => {},
  )
  void caller.run(
    () => ({}),
    () => {},
  )
  return caller
}

const direct = serve(...createDirectDispatcherPair())
const [here, there] = createMemoryChannelPair()
const jsonrpc = serve(new JSONRPCDispatcher(here), new JSONRPCDispatcher(there))

const measured = await measure([
  {
    name: 'JSON.parse + JSON.stringify of both messages',
    run: () => {
      JSON.parse(request)
      JSON.parse(response)
      JSON.stringify(requestValue)
      JSON.stringify(responseValue)
    },
  },
  { name: 'direct dispatcher, one round trip', run: () => direct.sendRawRequest('tools/call', params) },
  { name: 'JSON-RPC over a memory channel, one round trip', run: () => jsonrpc.sendRawRequest('tools/call', params) },
])
report('Round trips of a trivial call', measured)
const [json, directly, overChannel] = measured.map(({ nanoseconds }) => nanoseconds) as [number, number, number]
goal('direct / JSON of its messages', directly / json, 1)
goal('JSON-RPC over memory / JSON of its messages', overChannel / json, 2)

await direct.close()
await jsonrpc.close()

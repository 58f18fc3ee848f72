// The cost of MCPServer over Server: calls with few and many tools, lists, and registration.
import { spawn } from 'node:child_process'
import { z } from 'zod'
import { Client } from '../src/client/client.ts'
import { InboundContext } from '../src/dispatcher/context.ts'
import type { DispatchContext } from '../src/dispatcher/dispatcher.ts'
import { encodeLinePieces } from '../src/dispatcher/encode.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { compileSchema } from '../src/schema/engine.ts'
import { ConnectionCore } from '../src/server/connection.ts'
import { createContext } from '../src/server/context.ts'
import { openRequest, serveRequest } from '../src/server/era-drivers.ts'
import { coreOf } from '../src/server/internals.ts'
import { NO_BACK_CHANNEL } from '../src/server/outbound.ts'
import { Server } from '../src/server/server.ts'
import type { JSONRPCMessage } from '../src/types/protocol/jsonrpc.ts'
import { describedServer } from './described-server.ts'
import { type Contender, goal, measure, report } from './measure.ts'

const input = {
  type: 'object' as const,
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const

function createServer(toolCount: number): MCPServer {
  const server = new MCPServer('bench')
  for (let n = 0; n < toolCount; n++) server.tool(`tool-${n}`, { input }, () => n)
  server.tool('add', { input }, ({ a, b }) => a + b)
  return server
}

function createPlainServer(): Server {
  const validator = compileSchema(input)
  return new Server('bench', {
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
      'tools/call': (_ctx, { arguments: args }) => {
        if (!validator.check(args)) throw new TypeError('bad arguments')
        const { a, b } = args as { a: number; b: number }
        return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { result: a + b } }
      },
    },
  })
}

const calling = async (name: string, server: Server | MCPServer): Promise<Contender> => {
  const client = await Client.connect(server)
  await client.listTools()
  return { name, run: () => client.callTool('add', { a: 1, b: 2 }) }
}

const calls = await measure([
  await calling('Client → MCPServer, 10 tools', createServer(10)),
  await calling('Client → MCPServer, 1,000 tools', createServer(1_000)),
  await calling('Client → MCPServer, 5,000 tools', createServer(5_000)),
  await calling('Client → Server, the same by hand', createPlainServer()),
])
report('tools/call in process', calls)
goal('1,000 tools / 10 tools', calls[1]!.nanoseconds / calls[0]!.nanoseconds, 1.1)
goal('5,000 tools / 10 tools', calls[2]!.nanoseconds / calls[0]!.nanoseconds, 1.1)
goal('MCPServer / by hand', calls[0]!.nanoseconds / calls[3]!.nanoseconds, 1.5)

/** The handler of `tools/list` alone, without the work of `Server` on every result. */
function listing(name: string, server: MCPServer): Contender {
  const params = {}
  const dispatch: DispatchContext = new InboundContext(
    NO_BACK_CHANNEL,
    { kind: 'bench', canSendRequest: false },
    1,
    params,
  )
  const connection = ConnectionCore.fromEnvelope({ protocolVersion: '2026-07-28', clientCapabilities: {} })
  const request = createContext(coreOf(server.server), connection, dispatch, 'tools/list', params)
  const handler = coreOf(server.server).requestHandler('tools/list')!
  return { name, run: () => handler(request, params) }
}

const lists = await measure([
  listing('result of tools/list, 10 tools', createServer(10)),
  listing('result of tools/list, 1,000 tools', createServer(1_000)),
])
report('making the result of tools/list', lists)
goal('1,000 tools / 10 tools', lists[1]!.nanoseconds / lists[0]!.nanoseconds, 1.1)

/** A list written to a pipe, compared with writing the same text and the same bytes. */
const reader = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] })
const { stdin: pipe } = reader
const writeOut = (piece: Uint8Array | string) => new Promise((resolve) => pipe.write(piece, resolve))
function writeMessage(message: JSONRPCMessage): Promise<unknown> {
  const encoded = encodeLinePieces(message)
  if (typeof encoded === 'string') return writeOut(encoded)
  pipe.cork()
  pipe.write(encoded.head)
  const written = writeOut(encoded.body)
  pipe.uncork()
  return written
}

const largeServer = describedServer(1_000).server
const envelope = { protocolVersion: '2026-07-28', clientCapabilities: {} } as const
const listParams = {
  _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
}
async function answerList(id: number): Promise<JSONRPCMessage> {
  const dispatch = new InboundContext(NO_BACK_CHANNEL, { kind: 'bench', canSendRequest: false }, id, listParams)
  const result = await serveRequest(openRequest(coreOf(largeServer), envelope, dispatch, 'tools/list', listParams))
  return { jsonrpc: '2.0', id, result }
}
const preparedText = JSON.stringify(await answerList(1))
const preparedBytes = new TextEncoder().encode(preparedText)
let nextId = 1
const written = await measure([
  { name: `writing ${preparedBytes.length} bytes, prepared as text`, run: () => writeOut(preparedText) },
  { name: 'the same, prepared as bytes', run: () => writeOut(preparedBytes) },
  {
    name: 'tools/list of 1,000 tools, answered and written',
    run: async () => writeMessage(await answerList(nextId++)),
  },
])
report('tools/list into a pipe', written)
goal('answered / prepared as text', written[2]!.nanoseconds / written[0]!.nanoseconds, 1.1)
// Most of the difference is the system call: a line in three pieces needs another one than a line in one piece.
goal('answered / prepared as bytes', written[2]!.nanoseconds / written[1]!.nanoseconds, 1.5)
pipe.end()

const schemas = () =>
  Array.from({ length: 1_000 }, (_, n) => z.object({ a: z.number(), b: z.string(), [`c${n}`]: z.boolean() }))
const registering = await measure(
  [
    {
      name: 'z.toJSONSchema of 1,000 schemas',
      run: () => {
        for (const schema of schemas()) z.toJSONSchema(schema, { io: 'input' })
      },
    },
    {
      name: 'the same through ~standard, as a server asks for it',
      run: () => {
        for (const schema of schemas()) schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
      },
    },
    {
      name: 'registering 1,000 zod tools',
      run: () => {
        const server = new MCPServer('bench')
        for (const [n, schema] of schemas().entries()) server.tool(`tool-${n}`, { input: schema }, () => n)
      },
    },
  ],
  { rounds: 7 },
)
report('registration', registering)
goal('registering / z.toJSONSchema alone', registering[2]!.nanoseconds / registering[0]!.nanoseconds, 2)
goal('milliseconds for 1,000 zod tools', registering[2]!.nanoseconds / 1e6, 150)
process.exit(0)

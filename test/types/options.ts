// What the compiler refuses of options, and what it infers from the older names.
import { z } from 'zod'
import { Client } from '../../src/client/client.ts'
import { ClientSessionGroup } from '../../src/client/group/session-group.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { prompt } from '../../src/mcpserver/prompts/prompt.ts'
import { tool } from '../../src/mcpserver/tools/tool.ts'
import { limitTime } from '../../src/server/middleware/limit-time.ts'
import { connect } from '../../src/testing/connect.ts'

// Targets: a command has these members and no others.
void Client.connect({ command: 'node', args: ['server.js'], env: { LOG: '1' }, cwd: '/' })
// @ts-expect-error: args
void Client.connect({ command: 'node', arg: ['server.js'] })
// @ts-expect-error: env
void Client.connect({ command: 'node', args: [], envs: {} })
// @ts-expect-error: args
void new Client({ command: 'node', arg: [] })
// @ts-expect-error: args
void new ClientSessionGroup().connectToServer({ command: 'node', arg: [] })

// Headers: a plain object or those of fetch.
void Client.connect('http://localhost/mcp', { headers: { 'x-team': 'blue' } })
void Client.connect('http://localhost/mcp', { headers: new Headers() })
// @ts-expect-error: a Map is none
void Client.connect('http://localhost/mcp', { headers: new Map<string, string>() })

// Modes: the words of today, and revisions.
const server = new MCPServer('options')
for (const mode of ['auto', 'modern', 'legacy', '2024-11-05', '2025-11-25', '2026-07-28'] as const) {
  void Client.connect(server, { mode })
  void connect(server, { mode })
}
// @ts-expect-error: legacy
void Client.connect(server, { mode: 'handshake' })
// @ts-expect-error: modern
void Client.connect(server, { mode: 'stateless' })
// @ts-expect-error: mode
void connect(server, { era: 'modern' })

// Options of registrations and of others.
// @ts-expect-error: tools
void new MCPServer('options', { tols: [] })
// @ts-expect-error: input
server.tool('a', { inputs: z.object({}) }, () => 1)
// @ts-expect-error: input
prompt('a', { argsSchema: z.object({}) }, () => 'x')
// @ts-expect-error: timeoutMs
limitTime({ timeout: 1 })

// The older names of input and output type the handler as the names of today do.
const input = z.object({ a: z.string() })
const output = z.object({ length: z.number() })
server.tool('a', { inputSchema: input, outputSchema: output }, ({ a }) => ({ length: a.length }))
// @ts-expect-error: length is a number
server.tool('a', { inputSchema: input, outputSchema: output }, ({ a }) => ({ length: a }))
// @ts-expect-error: there is no b
server.tool('a', { inputSchema: input }, ({ b }) => b)
// @ts-expect-error: a map of schemas is no schema
server.tool('a', { inputSchema: { a: z.string() } }, () => 1)

const typed = new MCPServer('typed', { tools: [tool('add', { inputSchema: input }, ({ a }) => a)] })
void Client.connect(typed).then((client) => client.callTool('add', { a: 'x' }))
// @ts-expect-error: a is a string
void Client.connect(typed).then((client) => client.callTool('add', { a: 1 }))

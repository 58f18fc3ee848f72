// What a typed client asks of its callers, and what an untyped one lets them write.
import { type CallToolResult, Client, MCPServer, prompt, resource, tool } from 'mcpwire'
import type { ClientSession, ClientSessionGroup } from 'mcpwire/client'
import type { HttpServing, RunOptions } from 'mcpwire/server'
import { connect, recordWire } from 'mcpwire/testing'
import { z } from 'zod'

const add = tool('add', { input: z.object({ a: z.number() }), output: z.object({ sum: z.number() }) }, ({ a }) => ({
  sum: a,
}))
const greet = tool('greet', { input: z.object({ name: z.string().optional() }) }, ({ name }) => `Hello, ${name}`)
const hello = tool('hello', () => 'hello')
const server = new MCPServer('typed', {
  tools: [add, greet, hello],
  resources: [resource('note://{n}', ({ n }) => `note ${n}`), resource('note://one', { title: 'One' }, () => 'one')],
  prompts: [
    prompt('write', () => 'Write.'),
    prompt('review', { input: z.object({ code: z.string() }) }, ({ code }) => code),
  ],
})

// Each way to a typed client.
const inProcess = await Client.connect(server)
const remote = await Client.connect<typeof server>('https://example.com/mcp')
const made = new Client<typeof server>('https://example.com/mcp')
const forTests = await connect(server, { mode: 'legacy', wire: recordWire() })
for (const client of [inProcess, remote, made, forTests]) {
  const { structuredContent } = await client.callTool('add', { a: 1 }, { timeoutMs: 5 })
  const sum: number | undefined = structuredContent?.sum
  console.log(sum)
  // @ts-expect-error: the arguments are required
  await client.callTool('add')
  // @ts-expect-error: and all of them
  await client.callTool('add', {})
  // @ts-expect-error: and they are numbers
  await client.callTool('add', { a: '1' })
  // @ts-expect-error: this is no argument of it
  await client.callTool('add', { a: 1, b: 2 })
  // @ts-expect-error: undefined is no argument
  await client.callTool('add', undefined, { timeoutMs: 5 })
  await client.callTool('greet')
  await client.callTool('greet', { name: 'you' })
  await client.callTool('greet', undefined, { timeoutMs: 5 })
  await client.callTool('hello')
  // @ts-expect-error: it takes no arguments
  await client.callTool('hello', { name: 'you' })
}
const plain: Client = inProcess
console.log(plain)

// Arguments may be typed by an interface, wherever arguments are given.
interface Sum {
  a: number
}
interface Code {
  code: string
  style?: string
}
declare const sum: Sum
declare const code: Code
declare const session: ClientSession
declare const group: ClientSessionGroup
declare const untyped: Client
const ref = { type: 'ref/prompt', name: 'review' } as const
const argument = { name: 'code', value: '' }
await inProcess.callTool('add', sum)
await inProcess.callTool('registered later', sum)
await server.callTool('add', sum)
for (const caller of [untyped, session, group]) {
  const result: CallToolResult = await caller.callTool('add', sum)
  console.log(result)
  await caller.callTool('add', { a: 1 })
  await caller.callTool('add')
  // @ts-expect-error: arguments are an object
  await caller.callTool('add', [1])
  // @ts-expect-error: and no text
  await caller.callTool('add', '1')
}
for (const caller of [untyped, session, group, server]) {
  await caller.getPrompt('review', code)
  await caller.getPrompt('review', { code: '' })
  await caller.getPrompt('write')
  // @ts-expect-error: arguments of prompts are strings
  await caller.getPrompt('review', { code: 1 })
}
for (const caller of [untyped, session, server]) {
  await caller.complete(ref, argument, code)
  await caller.complete(ref, argument)
}

// @ts-expect-error: a misspelt member of a target
await Client.connect({ command: 'node', arg: ['server.js'] })
await Client.connect({ command: 'node', args: ['server.js'] })

// What a server runs as is what was asked for.
const serving: HttpServing = await server.run({ transport: 'http', port: 3000 })
const ended: undefined = await server.run()
declare const decidedElsewhere: RunOptions
const either: HttpServing | undefined = await server.run(decidedElsewhere)
console.log(serving, ended, either)
// @ts-expect-error: a port is a number
await server.run({ transport: 'http', port: '3000' })
// @ts-expect-error: without the transport there is no port
await server.run({ port: 3000 })

// Options of tool calls, and filters of extensions.
const { signal } = new AbortController()
await untyped.callTool('add', sum, { within: { signal, remainingMs: 5_000 }, onStop: 'leave', leaveAfterMs: 1_000 })
await inProcess.callTool('add', sum, {
  within: { signal },
  onStatus: ({ taskId, status }) => console.log(taskId, status),
})
server.tool('nested', async (_args, ctx) => untyped.callTool('add', sum, { within: ctx }))
// @ts-expect-error: work that a call is part of has a signal
await untyped.callTool('add', sum, { within: { remainingMs: 5_000 } })
// @ts-expect-error: another word
await untyped.callTool('add', sum, { onStop: 'stop' })
// @ts-expect-error: for calls of tools only
await untyped.getPrompt('review', code, { within: { signal } })

const watched = await untyped.listen({ toolsListChanged: true, jobIds: ['a'] })
const granted: string[] | undefined = watched.honored.jobIds
const resources: string[] | undefined = watched.refused.resourceSubscriptions
console.log(granted, resources)
for await (const event of watched) {
  if (event.type === 'extension') console.log(event.filter, event.key, event.params?.['status'])
  else if (event.type === 'resourceUpdated') console.log(event.uri)
  else console.log(event.type, event.isPresumed)
}
// @ts-expect-error: a list is watched or not
await untyped.listen({ toolsListChanged: ['a'] })
// @ts-expect-error: a member that is no list of keys, as a misspelt one
await untyped.listen({ toolListChanged: true })
// @ts-expect-error: nobody granted it, since nobody asked
console.log((await untyped.listen({ toolsListChanged: true })).honored.jobIds)

// A short tour: a server in a child process, over stdio and over HTTP, with a client of each era; then both in one process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions, MCPServer } from 'mcpwire'
import { z } from 'zod'

const calculator = fileURLToPath(new URL('calculator.js', import.meta.url))

const options: ClientOptions = {
  clientInfo: { name: 'tour', version: '1.0.0' },
  onElicitation: () => ({ action: 'accept', content: { sure: true } }),
}

const child = spawn(process.execPath, [calculator, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
const [firstLine] = (await once(child.stdout, 'data')) as [Buffer]
const url = firstLine.toString().trim()

for (const mode of ['legacy', 'auto'] as const) {
  await using client = await Client.connect({ command: process.execPath, args: [calculator] }, { ...options, mode })
  await show(client, 'over stdio')
}
for (const mode of ['legacy', 'auto'] as const) {
  await using client = await Client.connect(url, { ...options, mode })
  await show(client, `over HTTP at ${url}`)
}
child.kill()
await once(child, 'exit')

const server = new MCPServer('adder')
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b)
for (const mode of ['legacy', 'auto'] as const) {
  await using client = await Client.connect(server, { mode })
  const calls = 20_000
  const started = performance.now()
  for (let n = 0; n < calls; n++) await client.callTool('add', { a: n, b: 1 })
  const micros = ((performance.now() - started) * 1000) / calls
  console.log(
    `\nin process, revision ${client.protocolVersion}: ${calls} validated calls, ${micros.toFixed(1)} µs each`,
  )
}

async function show(client: Client, where: string): Promise<void> {
  console.log(`\n${where}, protocol revision ${client.protocolVersion}`)
  console.log(`  server    ${client.serverInfo?.name} ${client.serverInfo?.version}: ${client.instructions}`)
  console.log(`  tools     ${(await client.listTools()).tools.map((tool) => tool.name).join(', ')}`)

  const result = await client.callTool(
    'add',
    { a: 2, b: 40 },
    { onProgress: ({ progress, total, message }) => console.log(`  progress  ${progress}/${total} ${message}`) },
  )
  console.log(`  result    ${JSON.stringify(result.structuredContent)}`)

  const refused = await client.callTool('add', { a: '2' })
  console.log(`  rejected  ${JSON.stringify(refused.content[0])}`)

  const confirmed = await client.callTool('confirm')
  console.log(`  asked     ${JSON.stringify(confirmed.content[0])}`)

  const signal = AbortSignal.timeout(50)
  const stopped = await client.callTool('wait', {}, { signal }).catch((error: unknown) => error as Error)
  console.log(`  stopped   ${'name' in stopped ? `${stopped.name}: ${stopped.message}` : 'not at all'}`)
}

// npm start: one server, and a client of each era. A legacy client over stdio and a modern one over HTTP do the same five things.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'

const program = fileURLToPath(new URL('tour-server.js', import.meta.url))

/** What the user is asked, and answers. */
let asked = ''
const options: ClientOptions = {
  extensions: [tasks()],
  onElicitation: ({ message }) => {
    asked = message
    return { action: 'accept', content: { people: 8 } }
  },
}

const child = spawn(process.execPath, [program, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
const [line] = (await once(child.stdout, 'data')) as [Buffer]
const url = line.toString().trim()
const legacy = await Client.connect({ command: process.execPath, args: [program] }, { ...options, mode: 'legacy' })
const modern = await Client.connect(url, options)

const { name, version } = modern.serverInfo ?? { name: 'server', version: '' }
console.log(`One server, ${name} ${version}, and two clients:`)
console.log(`  legacy  ${legacy.protocolVersion} over stdio`)
console.log(`  modern  ${modern.protocolVersion} at ${url}`)

await show('Call a tool: add 2 and 40', async (client) => textOf(await client.callTool('add', { a: 2, b: 40 })))

await show('Send wrong arguments: add "two"', async (client) => {
  const result = await client.callTool('add', { a: 'two', b: 40 })
  return textOf(result).replace(/\n- /g, ' ')
})

await show('Follow the progress of a call: bake bread', async (client) => {
  const steps: string[] = []
  const onProgress = ({ message = '' }) => void steps.push(message)
  const result = await client.callTool('bake', { what: 'bread' }, { onProgress })
  return `${steps.join(' → ')} → ${textOf(result)}`
})

await show('Answer a question of the server: order a cake', async (client) => {
  const result = await client.callTool('order', { cake: 'lemon cake' })
  return `"${asked}" 8 → ${textOf(result)}`
})

await show('Run a long job: take the inventory', async (client) => {
  const states: string[] = []
  const onStatus = ({ statusMessage }: { statusMessage?: string }) => {
    if (statusMessage !== undefined && states.at(-1) !== statusMessage) states.push(statusMessage)
  }
  if (client === modern) {
    const result = await client.callTool('inventory', {}, { onStatus })
    return `a task: ${states.join(' → ')} → ${textOf(result)}`
  }
  return `a call that waits → ${textOf(await client.callTool('inventory'))}`
})

await legacy.close()
await modern.close()
child.kill()
await once(child, 'exit')
console.log(
  '\nNext: examples/tour-server.ts is the server, examples/tour.ts are the clients, README.md says how to begin.',
)

async function show(title: string, run: (client: Client) => Promise<string>): Promise<void> {
  console.log(`\n${title}`)
  for (const [era, client] of [
    ['legacy', legacy],
    ['modern', modern],
  ] as const) {
    const started = performance.now()
    const text = await run(client)
    console.log(`  ${era}  ${text}  (${Math.round(performance.now() - started)} ms)`)
  }
}

function textOf({ content }: { content: readonly { type: string; text?: string }[] }): string {
  return content.map(({ text = '' }) => text).join(' ')
}

// A long job as a task. The server is killed while it works and started again, and the job goes on after its last finished step.
// npx tsx examples/restart.ts
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'

const port = process.env['PORT'] ?? '3000'
const folder = mkdtempSync(join(tmpdir(), 'mcpwire-restart-'))

/** The server of the example with three nodes, alone, with its state in a file. */
async function startServer(name: string) {
  const env = { ...process.env, NODE_NAME: name, PORT: port, SQLITE_FILE: join(folder, 'state.db'), STEP_MS: '300' }
  const args = ['--import', 'tsx', fileURLToPath(new URL('cluster/server.ts', import.meta.url))]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

let server = await startServer('before')
const client = await Client.connect(`http://127.0.0.1:${port}/mcp`, { extensions: [tasks()] })
const job = await client.tasks.start('count', { to: 5 })
let restarting: Promise<void> | undefined

async function restartServer(): Promise<void> {
  server.kill('SIGKILL')
  await once(server, 'exit')
  console.log('The server was killed. Starting it again…')
  server = await startServer('after')
}

const result = await job.result({
  onStatus: ({ statusMessage }) => {
    console.log(statusMessage)
    if (statusMessage?.endsWith('counts 2')) restarting ??= restartServer()
  },
})
await restarting
console.log('Result:', result.content)
await client.close()
server.kill('SIGKILL')
await once(server, 'exit')
rmSync(folder, { recursive: true })

// Calls over stdio whose result is nested, by a client that checks it: the server is another process, whose time does not count.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { tripOutput } from '../schemas.js'

const program = fileURLToPath(new URL('../servers/trips.js', import.meta.url))
const command = { command: process.execPath, args: [program] }
const info = { name: 'bench', version: '1.0.0' }

async function ours(mode) {
  const { Client } = await import('mcpwire')
  const client = await Client.connect(command, { mode })
  await client.listTools()
  return async () => check(await client.callTool('trip'))
}

async function officialV1() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
  const client = new Client(info)
  await client.connect(new StdioClientTransport(command))
  await client.listTools()
  return async () => check(await client.callTool({ name: 'trip', arguments: {} }))
}

async function officialV2() {
  const { Client } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const client = new Client(info, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(new StdioClientTransport(command))
  await client.listTools()
  return async () => check(await client.callTool({ name: 'trip', arguments: {} }))
}

/** Node alone, which checks the result by zod. */
async function byHand(meta) {
  const child = spawn(command.command, command.args, { stdio: ['pipe', 'pipe', 'inherit'] })
  let rest = ''
  let resolve
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    rest += chunk
    if (!rest.endsWith('\n')) return
    const line = rest
    rest = ''
    resolve(JSON.parse(line).result)
  })
  let id = 0
  return async () => {
    const answered = new Promise((settle) => {
      resolve = settle
    })
    id += 1
    const params = { name: 'trip', arguments: {}, ...meta }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
    const result = await answered
    tripOutput.parse(result.structuredContent)
    check(result)
  }
}

function check({ structuredContent }) {
  if (structuredContent.fifth.city !== 'Ulm') throw new Error('another trip')
}

export const contenders = {
  floor: () => byHand({ _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
  'floor, legacy': () => byHand({}),
  mcpwire: () => ours('modern'),
  'mcpwire, legacy': () => ours('legacy'),
  'official v1, legacy': officialV1,
  'official v2, legacy': officialV2,
}

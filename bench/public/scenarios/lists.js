// A listing of 1,000 tools over stdio, by a client: the server is another process, whose time does not count.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as v2client from '@modelcontextprotocol/client'
import * as v2stdio from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Client } from 'mcpwire'

const program = fileURLToPath(new URL('../servers/listing.js', import.meta.url))
const command = { command: process.execPath, args: [program] }
const info = { name: 'bench', version: '1.0.0' }

async function ours(mode) {
  const client = await Client.connect(command, { mode, cache: false })
  return async () => check(await client.listTools())
}

async function official(Client, Transport, options) {
  const client = new Client(info, options)
  await client.connect(new Transport(command))
  return async () => check(await client.listTools())
}

/** Node alone: lines of text, and what they say. */
async function byHand(params) {
  const child = spawn(command.command, command.args, { stdio: ['pipe', 'pipe', 'inherit'] })
  let parts = []
  let resolve
  child.stdout.on('data', (chunk) => {
    parts.push(chunk)
    if (chunk[chunk.length - 1] !== 10) return
    const line = Buffer.concat(parts)
    parts = []
    resolve(JSON.parse(line.toString('utf8')).result)
  })
  let id = 0
  return async () => {
    const answered = new Promise((settle) => {
      resolve = settle
    })
    id += 1
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params })}\n`)
    check(await answered)
  }
}

function check({ tools }) {
  if (tools.length !== 1_000) throw new Error(`${tools.length} tools`)
}

const modernParams = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }

export const contenders = {
  floor: () => byHand(modernParams),
  'floor, legacy': () => byHand({}),
  mcpwire: () => ours('modern'),
  'mcpwire, legacy': () => ours('legacy'),
  'official v2, legacy': () =>
    official(v2client.Client, v2stdio.StdioClientTransport, { versionNegotiation: { mode: 'legacy' } }),
  'official v1, legacy': () => official(V1Client, StdioClientTransport),
}

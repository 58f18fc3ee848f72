// Runs a program, and says what it answers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Client, type ClientOptions, MCPServer } from 'mcpwire'
import { sse } from 'mcpwire/client'
import { serveHttp, stdio } from 'mcpwire/node'
import { z } from 'zod'
import { freePort } from '../../../test/support/free-port.ts'
import type { Use } from './fixtures.ts'

const require = createRequire(import.meta.url)
const EVERYTHING = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)

/** Node's own type stripping is not there on every Node. */
const LOADER = ['--import', pathToFileURL(require.resolve('tsx')).href]

/** Everything that the SDK offers is legacy. */
const ANSWERS: ClientOptions = {
  mode: 'legacy',
  onElicitation: () => ({ action: 'accept', content: { sure: true } }),
  onSampling: () => ({ role: 'assistant', model: 'test', content: { type: 'text', text: 'an answer' } }),
  onListRoots: () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
}

export async function answersOf(file: string, use: Use): Promise<unknown> {
  if (use.client !== undefined) return outputOf(file, use.client)
  if (use.http === undefined && use.sse === undefined) {
    const target = stdio({ command: process.execPath, args: [...LOADER, file], stderr: 'ignore' })
    return askServer(await Client.connect(target, ANSWERS), use)
  }
  const port = await freePort()
  const child = spawn(process.execPath, [...LOADER, file], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const text of child.stdout.setEncoding('utf8')) if (String(text).includes('listening')) break
    const url = `http://127.0.0.1:${port}${use.http ?? use.sse}`
    return await askServer(await Client.connect(use.sse === undefined ? url : sse(url), ANSWERS), use)
  } finally {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

/**
 * Without differences of form: the dialect of schemas (`$schema`), `taskSupport: 'forbidden'`, which is what a tool without
 * `execution` says, how a tool without arguments says so, and the number of completions beside the completions.
 */
export function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (key === '$schema') return undefined
    if (key === 'completion') return { values: (member as { values: unknown }).values }
    if (key === 'execution' && (member as { taskSupport?: string }).taskSupport === 'forbidden') return undefined
    return key === 'inputSchema' && isEmpty(member as Record<string, unknown>) ? { type: 'object' } : member
  })
  return text === undefined ? undefined : JSON.parse(text)
}

function isEmpty({ properties = {} }: { properties?: object }): boolean {
  return Object.keys(properties).length === 0
}

async function askServer(client: Client, use: Use): Promise<unknown> {
  const settled = async (asked: Promise<unknown>) => {
    try {
      return comparable(await asked)
    } catch (error) {
      // Messages differ; that and how it fails does not.
      return { failed: (error as { code?: number }).code }
    }
  }
  try {
    const { serverInfo, serverCapabilities, instructions } = client
    const answers: unknown[] = [serverInfo, instructions]
    if (serverCapabilities.tools !== undefined) answers.push(await settled(client.listTools()))
    if (serverCapabilities.prompts !== undefined) answers.push(await settled(client.listPrompts()))
    if (serverCapabilities.resources !== undefined) {
      answers.push(await settled(client.listResources()), await settled(client.listResourceTemplates()))
    }
    for (const [name, args] of use.calls ?? []) answers.push(await settled(client.callTool(name, args)))
    for (const uri of use.reads ?? []) answers.push(await settled(client.readResource(uri)))
    for (const [name, args] of use.prompts ?? []) answers.push(await settled(client.getPrompt(name, args ?? {})))
    for (const [ref, argument] of use.completions ?? []) {
      answers.push(await settled(client.complete(ref as unknown as Parameters<Client['complete']>[0], argument)))
    }
    if (use.listAfter === true) answers.push(await settled(client.listTools({ cacheMode: 'bypass' })))
    return answers
  } finally {
    await client.close()
  }
}

async function outputOf(file: string, kind: true | 'http'): Promise<string> {
  const server = new MCPServer('echo')
  server.tool('echo', { input: z.object({ text: z.string() }) }, ({ text }) => text)
  const served = kind === 'http' ? await serveHttp(server, { port: 0 }) : undefined
  try {
    const child = spawn(process.execPath, [...LOADER, file, EVERYTHING], {
      env: { ...process.env, ...(served !== undefined && { SERVER_URL: String(served.url) }) },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return `${output}exit code ${code}`
  } finally {
    await served?.close()
  }
}

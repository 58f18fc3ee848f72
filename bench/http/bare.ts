// What clients are compared with: a server of a few lines in a process of its own, and the bare POST that it answers.
import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import type { Contender } from '../measure.ts'

export interface BareServer {
  readonly url: string
  /** One POST as bytes, with the minimum of HTTP, on kept connections. Resolves with the answer. */
  post(body: string, headers: Record<string, string>): Promise<unknown>
  stop(): void
}

/** Runs a script that makes `server`, a server of Node, in a process of its own: its CPU time is not measured. */
export async function startBareServer(script: string): Promise<BareServer> {
  const listening = `${script}\nserver.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve))
  const agent = new Agent({ keepAlive: true })
  const target = { agent, hostname: '127.0.0.1', port, path: '/mcp', method: 'POST' }
  const post: BareServer['post'] = (body, headers) =>
    new Promise((resolve, reject) => {
      const length = Buffer.byteLength(body)
      const outgoing = request({ ...target, headers: { ...headers, 'content-length': length } }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk: string) => {
          text += chunk
        })
        incoming.on('end', () => resolve(JSON.parse(text)))
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  const stop = () => {
    agent.destroy()
    child.kill()
  }
  return { url: `http://127.0.0.1:${port}/mcp`, post, stop }
}

export function inParallel(name: string, count: number, run: () => Promise<unknown>): Contender {
  return { name, run: () => Promise.all(Array.from({ length: count }, run)) }
}

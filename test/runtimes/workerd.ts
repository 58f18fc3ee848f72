// workerd, the runtime of Cloudflare Workers, on a port of the system's choice.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'

/** No compatibility flag: nothing of Node is there. */
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

export interface Workerd {
  /** The URL of the endpoint. */
  readonly url: string
  stop(): Promise<void>
}

/** Bundles the file of a Worker into the folder, and serves it. The file exports a handler as its default, or `fetch`. */
export async function startWorkerd(program: string, file: string, folder: string): Promise<Workerd> {
  mkdirSync(folder, { recursive: true })
  await build({
    stdin: {
      contents: `import * as worker from ${JSON.stringify(file)}\nexport default worker.default ?? { fetch: worker.fetch }`,
      resolveDir: folder,
    },
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  })
  const config = join(folder, 'config.capnp')
  writeFileSync(config, CONFIG)
  const child = spawn(program, ['serve', '--control-fd=3', config], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    void ended.then(() => reject(new Error(`workerd ended: ${errors.slice(0, 2_000)}`)))
    // It tells its port on the control channel.
    createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
      const message = JSON.parse(line)
      if (message.event === 'listen') resolve(`http://127.0.0.1:${message.port}/mcp`)
    })
  })
  const stop = () => {
    child.kill('SIGKILL')
    return ended
  }
  return { url, stop }
}

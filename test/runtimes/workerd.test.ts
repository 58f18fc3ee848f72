// `toFetch` on workerd, the runtime of Cloudflare Workers: the built package, bundled as for a Worker, driven over a socket.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Client } from 'mcpwire'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOn } from './installed.ts'
import { ANSWERS, MODES, SEEN, talk } from './programs/talk.ts'

const START_LIMIT_MS = 150_000

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

async function bundleWorker(outfile: string): Promise<void> {
  await build({
    stdin: {
      contents: "import { fetch } from './worker.ts'\nexport default { fetch }",
      resolveDir: fileURLToPath(new URL('programs', import.meta.url)),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  })
}

interface Started {
  /** The URL of the endpoint, once it listens. */
  readonly url: Promise<string>
  stop(): Promise<void>
}

/** Starts workerd on a port of the system's choice, which it tells on the control channel. */
function startWorkerd(program: string, config: string): Started {
  const child = spawn(program, ['serve', '--control-fd=3', config], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const url = new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    void ended.then(() => reject(new Error(`workerd ended: ${errors.slice(0, 2_000)}`)))
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

describeOn('workerd', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-workerd-'))
  let workerd: Started | undefined
  let url = ''

  beforeAll(async () => {
    await bundleWorker(join(folder, 'worker.js'))
    writeFileSync(join(folder, 'config.capnp'), CONFIG)
    workerd = startWorkerd(program, join(folder, 'config.capnp'))
    url = await workerd.url
  }, START_LIMIT_MS)

  afterAll(async () => {
    await workerd?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  // Not tasks: the runtime stops what a request has begun when its response is sent.
  it.each(Object.entries(MODES))('F213 serves the %s era', async (_era, mode) => {
    const client = await Client.connect(url, { mode, ...ANSWERS })
    try {
      expect(await talk(client)).toEqual(SEEN)
    } finally {
      await client.close()
    }
  })
})

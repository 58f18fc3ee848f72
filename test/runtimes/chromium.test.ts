// The client bundle in a headless Chromium, where the machine has one: a page talks to the server that it came from.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { toNodeHandler } from 'mcpwire/node'
import { createHandler } from 'mcpwire/server'
import { expect, it } from 'vitest'
import { describeProgram } from './installed.ts'
import { createServer } from './programs/server.ts'
import { SEEN_WITH_TASKS } from './programs/talk.ts'

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run']
/** Further ones for machines that need them, such as `--single-process --no-zygote` in narrow containers. */
const EXTRA_FLAGS = (process.env['CHROME_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '')

const VISIT_LIMIT_MS = 150_000

function findChromium(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome-headless-shell']
  const candidates = [process.env['CHROME_PATH'], ...names].filter((name) => name !== undefined && name !== '')
  return candidates.find((name) => spawnSync(name as string, ['--version'], { timeout: 60_000 }).status === 0)
}

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('programs/page.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** Serves the page, its script and the endpoint; resolves with what the page told. */
function servePage(http: Server, script: string): Promise<unknown> {
  const handle = toNodeHandler(createHandler(createServer()))
  return new Promise((resolve, reject) => {
    const listener: RequestListener = (request, response) => {
      if (request.url === '/mcp') return handle(request, response)
      if (request.url === '/seen') {
        response.end()
        return text(request).then((body) => resolve(JSON.parse(body)), reject)
      }
      const isScript = request.url === '/page.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.end(
        isScript ? script : '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>',
      )
    }
    http.on('request', listener)
  })
}

/** Lets the browser visit the page until `seen` is known. */
async function visit(chromium: string, url: string, seen: Promise<unknown>): Promise<unknown> {
  const profile = mkdtempSync(join(tmpdir(), 'mcpwire-chromium-'))
  const child = spawn(chromium, [...FLAGS, ...EXTRA_FLAGS, `--user-data-dir=${profile}`, url], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const timer = setTimeout(() => child.kill('SIGKILL'), VISIT_LIMIT_MS)
  try {
    return await Promise.race([
      seen,
      ended.then(() => 'the browser ended, or was ended, before the page told anything'),
    ])
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
    await ended
    // Processes of the browser may write for a moment after it has ended.
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

describeProgram('a headless Chromium', findChromium(), 'install one, or name it in CHROME_PATH', (chromium) => {
  it('F213 runs the client in both eras', async () => {
    const script = await bundlePage()
    const http = createHttpServer()
    const seen = servePage(http, script)
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
    try {
      expect(await visit(chromium, url, seen)).toEqual({ legacy: SEEN_WITH_TASKS, modern: SEEN_WITH_TASKS })
    } finally {
      http.closeAllConnections()
      http.close()
    }
  })
})

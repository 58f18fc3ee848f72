// The built package under unusual conditions: each row runs in a Node of its own.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const library = new URL('../../dist/lib/', import.meta.url)
/** Entry points that need Node. */
const OF_NODE = ['nats.js', 'node.js', 'postgres.js', 'redis.js', 'sqlite.js', 'stdio-guard.js']

/** Runs a module against the built package and returns what it printed. */
function runNode(flags: string[], source: string): string {
  const result = spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', source], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
    timeout: 150_000,
  })
  if (result.status !== 0) throw new Error(`exit ${result.status ?? result.signal}: ${result.stderr}`)
  return result.stdout.trim()
}

const roundTrip = `
  import { createMemoryChannelPair, decodeMessage, JSONRPCDispatcher, SERVER_LIMITS } from 'mcpwire/dispatcher'
  import { compileSchema } from 'mcpwire/schema'
  import { isCallToolResult, MCPError } from 'mcpwire/types'
  const [here, there] = createMemoryChannelPair()
  const server = new JSONRPCDispatcher(there)
  const client = new JSONRPCDispatcher(here)
  const isFit = compileSchema({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] })
  void server.run((context, method, params) => {
    if (!isFit.check(params)) throw new MCPError(-32602, 'bad')
    return { content: [{ type: 'text', text: method + params.n }] }
  }, () => {})
  void client.run(() => ({}), () => {})
  const result = await client.sendRawRequest('call', { n: 1 })
  const refused = await client.sendRawRequest('call', { n: 'x' }).catch((error) => error.code)
`

const tell = 'console.log(JSON.stringify([isCallToolResult(result), result.content[0].text, refused]))'
const expected = JSON.stringify([true, 'call1', -32602])

/** What every entry point may import: packages that need no platform themselves. */
const PORTABLE = ['jose', 'oauth4webapi']

const IMPORTS = /(?:from|import|import\()\s*["']([^"']+)["']/g

/** What an entry point imports from outside the package where the runtime is not Node, by itself or through our own chunks. */
function importsBehind(entryPoint: URL): string[] {
  const seen = new Set<string>()
  const outside = new Set<string>()
  const visit = (url: URL) => {
    if (seen.has(url.href)) return
    seen.add(url.href)
    const source = readFileSync(url, 'utf8')
    for (const [, specifier] of source.matchAll(IMPORTS)) {
      if (specifier === '#mcpwire/platform') visit(new URL('platform/web.js', library))
      else if ((specifier as string).startsWith('.')) visit(new URL(specifier as string, url))
      // Messages name entry points of the package, as in "Add tasks() from 'mcpwire/extensions/tasks'".
      else if (!(specifier as string).startsWith('mcpwire/')) outside.add(specifier as string)
    }
  }
  visit(entryPoint)
  return [...outside]
}

describe('the built package', () => {
  it('is there: npm test builds it first', () => {
    expect(existsSync(new URL('dispatcher.js', library))).toBe(true)
  })

  it('F214 runs without code generation from strings', () => {
    expect(runNode(['--disallow-code-generation-from-strings'], `${roundTrip}\nawait client.close()\n${tell}`)).toBe(
      expected,
    )
  })

  it('F214 runs with frozen intrinsics', () => {
    const flags = ['--frozen-intrinsics', '--no-warnings']
    expect(runNode(flags, `${roundTrip}\nawait client.close()\n${tell}`)).toBe(expected)
  })

  it('F216 lets the process end while nothing is under way, without close()', () => {
    expect(runNode([], `${roundTrip}\n${tell}`)).toBe(expected)
  })

  it('F216 keeps the process while a call is under way, until its timeout', () => {
    const source = `
      import { createMemoryChannelPair, JSONRPCDispatcher } from 'mcpwire/dispatcher'
      const [here] = createMemoryChannelPair()
      const client = new JSONRPCDispatcher(here)
      void client.run(() => ({}), () => {})
      console.log(await client.sendRawRequest('nobody', {}, { timeoutMs: 50 }).catch((error) => error.code))
    `
    expect(runNode([], source)).toBe('-32001')
  })

  it('F215 refuses hostile messages within 64 MB of heap', () => {
    const source = `
      ${roundTrip}
      const hostile = ['[' + '{},'.repeat(1_300_000) + '{}]', '['.repeat(2_000_000), '{"a":' .repeat(400_000), '"' + 'x'.repeat(5_000_000) + '"']
      let refusals = 0
      for (let round = 0; round < 20; round++) {
        for (const text of hostile) {
          try { decodeMessage(text, SERVER_LIMITS) } catch { refusals += 1 }
        }
      }
      await client.close()
      console.log(refusals)
    `
    expect(runNode(['--max-old-space-size=64'], source)).toBe('80')
  })

  it('F213 imports nothing from Node behind the entry points that run anywhere', () => {
    const files = readdirSync(library, { encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
    const entryPoints = files.filter((file) => !OF_NODE.includes(file))
    expect(entryPoints.length).toBeGreaterThan(4)
    for (const entryPoint of entryPoints) {
      const foreign = importsBehind(new URL(entryPoint, library)).filter((specifier) => !PORTABLE.includes(specifier))
      expect(foreign, entryPoint).toEqual([])
    }
    // The check can see such imports: this entry point has some.
    expect(importsBehind(new URL('node.js', library))).toContain('node:net')
  })

  it('F213 works in a realm that has neither process nor Buffer', async () => {
    const { outputFiles } = await build({
      stdin: { contents: `${roundTrip}\nawait client.close()\n${tell}`, resolveDir: fileURLToPath(library) },
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      write: false,
      logLevel: 'error',
    })
    const bundled = outputFiles[0]?.text ?? ''
    expect(bundled).not.toMatch(/^import /m)
    const bare =
      "for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'require']) delete globalThis[name]"
    const file = join(mkdtempSync(join(tmpdir(), 'mcpwire-realm-')), 'program.mjs')
    writeFileSync(file, bundled)
    expect(runNode([], `${bare}\nawait import(${JSON.stringify(pathToFileURL(file).href)})`)).toBe(expected)
    rmSync(dirname(file), { recursive: true })
  })
})

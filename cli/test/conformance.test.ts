// mcpwire conformance: the official suite, by the verb.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isFull } from '../../test/engines/full.ts'
import { describeOn } from '../../test/runtimes/installed.ts'
import { MAIN, mcpwire, program } from '../../test/support/command-line.ts'

const SUITE_MS = 300_000
const SERVER = fileURLToPath(new URL('../../build/conformance/server.js', import.meta.url))

describe('mcpwire conformance', () => {
  it('needs a URL', async () => {
    expect(await mcpwire(['conformance', 'server.js'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'mcpwire: "server.js" is not a URL.\nThe suite tests a server at a URL.\n',
    })
  })

  it.skipIf(Number(process.versions.node.split('.')[0]) >= 22)('says that it needs Node 22', async () => {
    const { code, stderr } = await mcpwire(['conformance', 'http://127.0.0.1:1/mcp', '--json'])
    expect(code).toBe(3)
    expect(JSON.parse(stderr)).toMatchObject({ error: { slug: 'node-too-old', exitCode: 3 } })
  })
})

if (isFull) {
  describeOn('node22', (node) => {
    async function runSuite(args: readonly string[]) {
      const server = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'pipe'] })
      onTestFinished(() => void server.kill('SIGKILL'))
      const lines = [server.stdout, server.stderr].map((input) => once(createInterface({ input }), 'line'))
      const [line] = (await Promise.race(lines)) as [string]
      const url = /http:\S+/.exec(line)?.[0] ?? ''
      const child = spawn(node, [MAIN, 'conformance', url, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] })
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      const [code] = (await once(child, 'close')) as [number]
      return { code, result: JSON.parse(text) as unknown, url }
    }

    it('exits 0 where a server passes the whole suite', { timeout: SUITE_MS }, async () => {
      const { code, result, url } = await runSuite([SERVER, '--port', '0'])
      expect({ code, result }).toEqual({ code: 0, result: { url, passed: true } })
    })

    it('exits 1 where it does not', { timeout: SUITE_MS }, async () => {
      const { code, result, url } = await runSuite([MAIN, 'run', program('reports.js'), '--http', '--port', '0'])
      expect({ code, result }).toEqual({ code: 1, result: { url, passed: false } })
    })
  })
}

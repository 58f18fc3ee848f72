// The example of three nodes, as its reader would run it, on each engine that it takes; and its nginx configuration.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { describeEngine } from '../engines/describe-engine.ts'
import { programOf } from '../engines/programs.ts'
import { type Child, startProgram } from '../support/child.ts'
import { freePort } from '../support/free-port.ts'
import { createFolder } from '../unit/node/files/temporary-folder.ts'

const root = new URL('../../', import.meta.url)
const pathTo = (path: string) => fileURLToPath(new URL(path, root))
const OUTDIR = pathTo('build/fixtures/cluster')

beforeAll(async () => {
  await build({
    absWorkingDir: pathTo(''),
    entryPoints: ['examples/cluster/start.ts', 'examples/cluster/server.ts'],
    outdir: OUTDIR,
    alias: {
      'mcpwire/extensions/tasks': pathTo('src/exports/extensions/tasks.ts'),
      'mcpwire/backend': pathTo('src/exports/backend.ts'),
      'mcpwire/redis': pathTo('src/exports/redis.ts'),
      'mcpwire/sqlite': pathTo('src/exports/sqlite.ts'),
      mcpwire: pathTo('src/exports/index.ts'),
      '#platform': pathTo('src/node/platform.ts'),
    },
    packages: 'external',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  })
})

const children: Child[] = []

afterEach(async () => {
  // Killed, nginx would leave its workers behind.
  for (const { process } of children) process.kill(process.spawnfile.endsWith('nginx') ? 'SIGTERM' : 'SIGKILL')
  await Promise.all(children.splice(0).map(({ ended }) => ended))
})

function start(program: string, args: readonly string[], env: Record<string, string> = {}): Child {
  const child = startProgram(program, args, env)
  children.push(child)
  return child
}

async function runExample(...args: string[]): Promise<string> {
  const { output, ended } = start(process.execPath, [join(OUTDIR, 'start.js'), ...args])
  const [code] = await ended
  expect(code, output.stderr).toBe(0)
  return output.stdout
}

function expectAnswers(text: string): void {
  expect(text).toContain('30 of 30 calls of one session were answered')
  const [, result = ''] = /The result of the call: (.*)/.exec(text) ?? []
  const counted = result.split(', ')
  expect(counted.map((line) => line.split(' ')[0])).toEqual(['1', '2', '3', '4', '5'])
  expect(new Set(counted.map((line) => line.slice(2))).size, result).toBeGreaterThan(1)
}

describe('the example of three nodes', () => {
  it.runIf(process.env['FULL_TESTS'] === '1')(
    'loses two of its nodes and no answer (SQLite)',
    { timeout: 120_000 },
    async () => {
      expectAnswers(await runExample('sqlite'))
    },
  )

  describeEngine('Redis', 'on Redis', () => {
    it('loses two of its nodes and no answer', { timeout: 120_000 }, async () => {
      const text = await runExample()
      expect(text).toContain('The nodes share a Redis.')
      expectAnswers(text)
    })
  })

  describeEngine('nginx', 'behind nginx', () => {
    it('serves one session without stickiness, while a node is killed', {
      timeout: 120_000,
    }, async () => {
      await using temporary = await createFolder()
      const folder = temporary.path
      const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()])
      const [front, ...nodePorts] = ports
      const env = { SQLITE_FILE: join(folder, 'cluster.db') }
      const nodes = nodePorts.map((port, index) =>
        start(process.execPath, [join(OUTDIR, 'server.js')], {
          ...env,
          PORT: String(port),
          NODE_NAME: String(index + 1),
        }),
      )
      const config = join(folder, 'nginx.conf')
      const text = readFileSync(pathTo('examples/cluster/nginx.conf'), 'utf8')
      writeFileSync(
        config,
        text.replaceAll(/:300([0-3])\b/g, (_, index: string) => `:${ports[Number(index)]}`),
      )
      const pid = join(folder, 'nginx.pid')
      const nginx = start(programOf('nginx'), ['-c', config, '-p', folder, '-g', `daemon off; pid ${pid};`])
      await Promise.all(nodes.map((node) => node.printed('listens')))
      const url = `http://127.0.0.1:${front}/mcp`
      await vi.waitFor(async () => expect((await fetch(url, { method: 'OPTIONS' })).status).toBeGreaterThan(0), 30_000)
      expect(nginx.process.exitCode, nginx.output.stderr).toBeNull()

      await using client = await Client.connect(url, { mode: 'legacy' })
      const served: string[] = []
      for (let call = 1; call <= 30; call++) {
        if (call === 15) {
          nodes[1]?.process.kill('SIGKILL')
          await nodes[1]?.ended
        }
        const { content } = await client.callTool('where')
        served.push((content[0] as { text: string }).text)
      }
      expect(served).toHaveLength(30)
      expect(new Set(served)).toEqual(new Set(['node 1', 'node 2', 'node 3']))
    })
  })
})

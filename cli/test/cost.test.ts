// What the command line costs before it does anything: processor time, and the code that it loads.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isFull } from '../../test/engines/full.ts'
import { MAIN, program } from '../../test/support/command-line.ts'
import { createProject } from './typescript/projects.ts'

/** User and system time of a process and its children, in milliseconds; the least of several runs. */
function cpuOf(args: readonly string[], runs: number): number {
  const measure = `
    const { spawnSync } = require('node:child_process')
    spawnSync(process.execPath, ${JSON.stringify(args)}, { stdio: 'ignore', input: '' })
    process.stdout.write(require('node:fs').readFileSync('/proc/self/stat', 'utf8'))`
  const times = Array.from({ length: runs }, () => {
    const { stdout } = spawnSync(process.execPath, ['-e', measure], { encoding: 'utf8' })
    // proc(5): cutime and cstime, after the name in brackets, in ticks of 10 ms.
    const fields = stdout.slice(stdout.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  })
  return Math.min(...times)
}

/** The files of dist/cli that a command loads in its own process. */
function loadedBy(args: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-cost-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const hooks = join(folder, 'hooks.mjs')
  const list = join(folder, 'list.txt')
  writeFileSync(
    hooks,
    `import { appendFileSync } from 'node:fs'
     export async function load(url, context, next) {
       if (url.startsWith('file:')) appendFileSync(${JSON.stringify(list)}, url + '\\n')
       return next(url, context)
     }`,
  )
  const register = `data:text/javascript,import{register}from'node:module';register(${JSON.stringify(pathToFileURL(hooks).href)})`
  spawnSync(process.execPath, ['--import', register, MAIN, ...args], { stdio: 'ignore' })
  const folderOfMain = pathToFileURL(`${dirname(MAIN)}/`).href
  const files = readFileSync(list, 'utf8').split('\n')
  return [...new Set(files)].filter((url) => url.startsWith(folderOfMain)).map((url) => new URL(url).pathname)
}

const KB = 1000

describe('cli C11: the cost of a start', () => {
  it.skipIf(process.platform !== 'linux')('--help takes at most 1.7 times the processor time of bare Node', () => {
    const bare = cpuOf(['-e', '0'], 7)
    const help = cpuOf([MAIN, '--help'], 7)
    // Times come in steps of 10 ms.
    expect(help).toBeLessThanOrEqual(bare * 1.7 + 10)
  })

  it.runIf(isFull && process.platform === 'linux')(
    'call of a TypeScript server takes at most 0.7 s of processor time in all, 0.15 s more than of JavaScript',
    async () => {
      await using project = await createProject({
        server: 'server.ts',
        files: {
          'package.json': '{"type":"module"}',
          'server.ts': `import { MCPServer } from 'mcpwire'\n\nexport const server: MCPServer = new MCPServer('shop')\nserver.tool('price', (): number => 12)\n`,
          'server.js': `import { MCPServer } from 'mcpwire'\n\nexport const server = new MCPServer('shop')\nserver.tool('price', () => 12)\n`,
        },
      })
      const call = (file: string) => cpuOf([MAIN, 'call', join(project.folder, file), 'price'], 7)
      const [bare, typescript, javascript] = [cpuOf(['-e', '0'], 7), call('server.ts'), call('server.js')]
      console.log(`bare Node ${bare} ms, call of JavaScript ${javascript} ms, of TypeScript ${typescript} ms`)
      // Where everything takes longer, by as much as bare Node does: it takes 60 ms on a machine that is not busy.
      const slow = Math.max(1, bare / 60)
      expect(typescript).toBeLessThanOrEqual(700 * slow)
      expect(typescript - javascript).toBeLessThanOrEqual(150 * slow)
    },
  )

  it.each([[['--help']], [['call', 'add', 'a=1', 'b=2', '--', process.execPath, program('stdio-server.js')]]])(
    '%j loads at most 120 KB of the command line',
    (args) => {
      const files = loadedBy(args)
      expect(files).toContain(MAIN)
      const minified = files.map((file) => transformSync(readFileSync(file, 'utf8'), { minify: true }).code.length)
      const size = minified.reduce((sum, bytes) => sum + bytes, 0)
      expect(size).toBeLessThanOrEqual(120 * KB)
      expect(files.map((file) => statSync(file).size).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(
        250 * KB,
      )
    },
  )
})

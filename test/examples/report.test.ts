// The report of ten minutes, as its reader would run it, in minutes of a few milliseconds. The client is killed and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { createFolder } from '../unit/node/files/temporary-folder.ts'

const root = new URL('../../', import.meta.url)
const pathTo = (path: string) => fileURLToPath(new URL(path, root))
const OUTDIR = pathTo('build/fixtures/report')
const MINUTE_MS = 100

beforeAll(async () => {
  await build({
    absWorkingDir: pathTo(''),
    entryPoints: ['examples/report-server.ts', 'examples/report-client.ts'],
    outdir: OUTDIR,
    alias: {
      'mcpwire/extensions/tasks': pathTo('src/exports/extensions/tasks.ts'),
      'mcpwire/node': pathTo('src/exports/node.ts'),
      mcpwire: pathTo('src/exports/index.ts'),
      '#platform': pathTo('src/node/platform.ts'),
    },
    external: ['zod', 'cross-spawn', 'jose', 'oauth4webapi'],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  })
})

const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

interface Program {
  readonly child: ChildProcess
  /** Waits for a line of this form, also one that came before. */
  printed(form: RegExp): Promise<string>
  readonly ended: Promise<number | null>
}

function start(name: string, args: string[], env: NodeJS.ProcessEnv = {}): Program {
  const child = spawn(process.execPath, [join(OUTDIR, `${name}.js`), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  let output = ''
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    for (const look of waiting) look()
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const printed = (form: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = form.exec(output)
        if (found === null) return
        waiting.delete(look)
        resolve(found[0])
      }
      waiting.add(look)
      look()
      void ended.then(() => reject(new Error(`${name} ended after: ${output}`)))
    })
  return { child, printed, ended }
}

it('tasks T-36: a report of ten minutes asks one question and survives a restart of its client', async () => {
  await using folder = await createFolder()
  const file = join(folder.path, 'tasks.json')
  const server = start('report-server', [], { PORT: '0', MINUTE_MS: String(MINUTE_MS) })
  const url = await server.printed(/http:\S+/)

  const first = start('report-client', [url, file])
  await first.printed(/Started the report\.\n[\s\S]*Reading the ledger, minute \d/)
  first.child.kill('SIGKILL')
  await first.ended
  expect(readFileSync(file, 'utf8')).toContain('build_report')

  const second = start('report-client', [url, file])
  await second.printed(/Found the report of the last time/)
  await second.printed(/Include drafts\? \(yes\/no\)/)
  second.child.stdin?.write('yes\n')
  await second.printed(/Report of Q3: 127 entries\./)
  expect(await second.ended).toBe(0)
  expect(readFileSync(file, 'utf8')).not.toContain('build_report')
})

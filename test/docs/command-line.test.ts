// Every command in the pages about the command line that shows a prompt is run, and prints what the page says.
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcpwire } from '../support/command-line.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = ['command-line', 'install', 'login', 'start/server']
const texts = await Promise.all(pages.map((page) => readFile(join(root, `docs/${page}.md`), 'utf8')))

/** Commands with what they print; nothing where the page leaves that open. */
const commands = [...texts.join('\n').matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...printed] = text.split('\n')
      return { command, printed: printed.join('\n') }
    }),
)

let folder = ''

beforeAll(async () => {
  // Within the package, so that the server finds it by its name.
  await mkdir(join(root, 'build/fixtures'), { recursive: true })
  folder = await mkdtemp(join(root, 'build/fixtures/command-line-'))
  await build({
    absWorkingDir: root,
    entryPoints: [{ in: 'docs/examples/calculator-server.ts', out: 'server' }],
    outdir: folder,
    bundle: true,
    external: ['mcpwire'],
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
  await copyFile(join(root, 'docs/examples/start/server.ts'), join(folder, 'server.ts'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** As a shell would, for the little that the page needs. */
function toWords(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

// One after another: some go on where the one before has left off.
describe('the pages about the command line', () => {
  it('has commands', () => {
    expect(commands.length).toBeGreaterThan(5)
  })

  it.each(commands)('$command', async ({ command, printed }) => {
    const [name, ...args] = toWords(command.replace(/^npx /, ''))
    expect(name).toBe('mcpwire')
    const { code, stdout, stderr } = await mcpwire(args, { cwd: folder, env: { HOME: folder } })
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    if (printed !== '') expect(stdout.replaceAll(/\/\S*(?=\/mcp\.json)/g, '…')).toBe(printed)
  })
})

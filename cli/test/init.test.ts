// mcpwire init: what it writes, what it refuses, and what it asks on a terminal. cli/test/templates installs and runs the projects.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAIN, mcpwire, startCommand } from '../../test/support/command-line.ts'
import { detectPackageManager, inWordsOf } from '../init/package-managers.ts'
import { createProjectFiles } from '../init/project-files.ts'
import { findNameProblem, nameFromFolder } from '../init/project-name.ts'
import { TEMPLATES } from '../init/templates.ts'
import { hasScript, typeAnswers } from './terminal-session.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sources = join(root, 'cli/templates')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-init-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const init = (...args: string[]) => mcpwire(['init', ...args], { cwd: folder })
const list = (path = '.') =>
  (readdirSync(join(folder, path), { recursive: true, withFileTypes: true }) as { name: string; isFile(): boolean }[])
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

/** A folder of programs to put before all others on the PATH. */
function withPrograms(programs: Readonly<Record<string, string>>): Record<string, string> {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!${process.execPath}\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return { PATH: bin }
}

describe('mcpwire init writes a project', () => {
  it.each(TEMPLATES)('of the template $name, with the name of its folder and no other', async ({ name }) => {
    const { code, stdout, stderr } = await init('My Tools', '--template', name, '--no-install', '--json')
    expect(code, stderr).toBe(0)
    const made = JSON.parse(stdout) as { name: string; files: string[]; folder: string }
    expect(made).toMatchObject({ name: 'my-tools', template: name, installed: false, git: false })
    expect(made.files.length).toBe(list('My Tools').length)
    for (const path of made.files) expect(readFileSync(join(made.folder, path), 'utf8')).not.toContain('my-server')
    const manifest = JSON.parse(readFileSync(join(made.folder, 'package.json'), 'utf8')) as Manifest
    expect(manifest.name).toBe('my-tools')
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(manifest.dependencies['mcpwire']).toBe(`^${version}`)
    expect(Object.keys(manifest.scripts)).toEqual(
      expect.arrayContaining(['dev', 'start', 'test', 'typecheck', 'inspect']),
    )
  })

  it('into the folder that it is called in, beside files of other names', async () => {
    writeFileSync(join(folder, 'LICENSE'), 'mine')
    const { code } = await init('.', '--no-install', '--name', '@acme/tools')
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe('mine')
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toContain('"name": "@acme/tools"')
    expect(readFileSync(join(folder, 'src/server.ts'), 'utf8')).toContain("new MCPServer('tools'")
  })

  it('with the defaults where there is no terminal, and prints the next commands', async () => {
    const { code, stdout } = await init('--no-install')
    expect(code).toBe(0)
    expect(stdout).toBe(
      'my-server is ready. Next:\n  cd my-server\n  npm install\n  npx mcpwire call . add a=1 b=2\n  npm run dev\n',
    )
  })

  it('in a folder that is named after --', async () => {
    expect((await init('--no-install', '--', 'after')).code).toBe(0)
    expect(existsSync(join(folder, 'after/package.json'))).toBe(true)
    const { code, stderr } = await init('--no-install', 'a', '--', 'b')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Unexpected argument "b".') })
  })

  it('and a git repository with --git', async () => {
    expect((await init('a', '--no-install', '--git')).code).toBe(0)
    expect(existsSync(join(folder, 'a/.git'))).toBe(true)
  })

  it('and installs with the package manager, whose output goes to stderr', async () => {
    const env = withPrograms({ pnpm: "console.log('pnpm', process.argv.slice(2).join(' '), 'in', process.cwd())" })
    const { code, stdout, stderr } = await mcpwire(['init', 'a', '--pm', 'pnpm'], { cwd: folder, env })
    expect(code).toBe(0)
    expect(stderr).toMatch(/pnpm install in .*\/a\n/)
    expect(stdout).toContain('pnpm exec mcpwire call . add a=1 b=2')
    expect(stdout).not.toContain('pnpm install')
  })
})

interface Manifest {
  name: string
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

describe('mcpwire init never overwrites a file', () => {
  it('and names those that are in the way', async () => {
    mkdirSync(join(folder, 'a/src'), { recursive: true })
    writeFileSync(join(folder, 'a/package.json'), '{}')
    writeFileSync(join(folder, 'a/src/server.ts'), 'mine')
    const { code, stdout, stderr } = await init('a', '--no-install')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /\/a already has package\.json, src\/server\.ts\.\nNothing was created\. Choose an empty folder/,
    )
    expect(list('a')).toEqual(['package.json', 'server.ts'])
    expect(readFileSync(join(folder, 'a/src/server.ts'), 'utf8')).toBe('mine')
  })

  it('and follows no link out of the folder', async () => {
    mkdirSync(join(folder, 'a'))
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'a/src'))
    symlinkSync(join(folder, 'nowhere'), join(folder, 'a/README.md'))
    const { code, stderr } = await init('a', '--no-install')
    expect(code).toBe(1)
    expect(stderr).toContain('already has README.md, src.')
    expect(list('elsewhere')).toEqual([])
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  it('and takes no file for a folder', async () => {
    writeFileSync(join(folder, 'a'), 'mine')
    for (const path of ['a', 'a/b']) {
      const { code, stderr } = await init(path, '--no-install')
      expect(code).toBe(1)
      expect(stderr).toContain(`${path} is not a folder.`)
    }
  })

  it.skipIf(process.getuid?.() === 0)('and removes what it wrote where a file cannot be written', async () => {
    mkdirSync(join(folder, 'a/test'), { recursive: true })
    chmodSync(join(folder, 'a/test'), 0o500)
    const { code, stderr } = await init('a', '--no-install')
    chmodSync(join(folder, 'a/test'), 0o700)
    expect(code).toBe(1)
    expect(stderr).toMatch(/The project cannot be written to .*\nNothing was created\./)
    expect(readdirSync(join(folder, 'a'))).toEqual(['test'])
  })
})

describe.skipIf(process.platform !== 'linux')('mcpwire init leaves nothing behind', () => {
  it('where the disk is full', async () => {
    // A limit on the size of files ends a write in the middle, as a full disk does.
    const shell = `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`
    const { status, stderr } = spawnSync(
      '/bin/sh',
      ['-c', shell, process.execPath, MAIN, 'init', 'a', '--no-install'],
      { cwd: folder, encoding: 'utf8' },
    )
    expect(status).toBe(1)
    expect(stderr).toMatch(/The project cannot be written to .*\nNothing was created\./)
    expect(readdirSync(folder)).toEqual([])
  })

  it('where no folder can be created, and ends', async () => {
    const { code, stderr } = await init('/proc/app', '--no-install')
    expect(code).toBe(1)
    expect(stderr).toMatch(/The project cannot be written to \/proc\/app: ENOENT.*\nNothing was created\./)
  })
})

describe('mcpwire init refuses', () => {
  it.each([
    ['My Tools', /"My Tools" is not a package name\. Use lower-case letters/],
    ['../up', /"\.\.\/up" is not a package name/],
    ['.hidden', /is not a package name/],
    ['node_modules', /The name "node_modules" is reserved by Node\./],
    ['fs', /The name "fs" is reserved by Node\./],
    ['zod', /The project uses a package of the name "zod"\./],
    ['x'.repeat(215), /The name has 215 characters, and npm allows 214\./],
  ])('the name %s', async (name, message) => {
    const { code, stderr } = await init('a', '--no-install', '--name', name)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
    expect(stderr).toContain('Choose another name with --name.')
    expect(existsSync(join(folder, 'a'))).toBe(false)
  })

  it('a template that does not exist, and says which do', async () => {
    const { code, stderr } = await init('a', '--template', 'minimum')
    expect(code).toBe(2)
    expect(stderr).toMatch(/minimum.*minimal, http, auth, client, host, app, worker/s)
  })

  it('a package manager that is not installed, before it writes anything', async () => {
    const { code, stderr } = await mcpwire(['init', 'a', '--pm', 'bun'], { cwd: folder, env: withPrograms({}) })
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /The command bun was not found\.\nNothing was created\. Install bun, or choose another with --pm/,
    )
    expect(existsSync(join(folder, 'a'))).toBe(false)
  })

  it('nothing of what is written where the install fails, and says how to go on', async () => {
    const env = withPrograms({ npm: "console.error('no network'); process.exit(7)" })
    const { code, stderr } = await mcpwire(['init', 'a'], { cwd: folder, env })
    expect(code).toBe(1)
    expect(stderr).toContain('no network')
    expect(stderr).toMatch(/npm install failed with exit code 7\. The files of the project are in .*\/a\./)
    expect(existsSync(join(folder, 'a/package.json'))).toBe(true)
  })

  it('cli C7: to outlive Ctrl-C while it installs, and ends the package manager', async () => {
    const env = withPrograms({ npm: "console.error('pid', process.pid); setInterval(() => {}, 1000)" })
    const child = startCommand(['init', 'a'], { cwd: folder, env })
    let pid = 0
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    for await (const text of child.stderr.setEncoding('utf8')) {
      pid = Number(/pid (\d+)/.exec(String(text))?.[1] ?? pid)
      if (pid !== 0) break
    }
    child.kill('SIGINT')
    expect(await exited).toBe(130)
    expect(() => process.kill(pid, 0)).toThrow()
  })
})

describe.skipIf(!hasScript())('mcpwire init on a terminal', () => {
  it('asks for what the command line leaves out', async () => {
    const down = '\u001b[B'
    const { screen, code, unasked } = await typeAnswers(
      ['init', '--no-install'],
      [
        ['Template', `${down}\r`],
        ['Folder', 'api\r'],
        ['Package manager', '\r'],
        ['git repository', '\r'],
      ],
      folder,
    )
    expect({ code, unasked }).toEqual({ code: 0, unasked: 0 })
    expect(screen).toContain('api is ready')
    expect(existsSync(join(folder, 'api/Dockerfile'))).toBe(true)
  })

  it('asks nothing with --yes', async () => {
    const { screen, code } = await typeAnswers(['init', '--no-install', '--yes'], [], folder)
    expect(code).toBe(0)
    expect(screen).not.toContain('Template')
    expect(existsSync(join(folder, 'my-server/src/server.ts'))).toBe(true)
  })

  it('cli C7: creates nothing where a question is ended with Ctrl-C', async () => {
    const { screen, code } = await typeAnswers(['init'], [['Template', '\u0003']], folder)
    expect(code).toBe(130)
    expect(screen).toContain('No project was created.')
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the templates', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>
  }

  it.each(TEMPLATES)('$name uses the versions that are tested together', ({ name }) => {
    const files = createProjectFiles({ template: name, name: 'x', packageManager: 'npm' }, sources)
    const { dependencies, devDependencies } = JSON.parse(files.get('package.json') as string) as Manifest
    const { mcpwire: _own, ...others } = { ...dependencies, ...devDependencies }
    for (const [dependency, range] of Object.entries(others)) {
      const tested = lock.packages[`node_modules/${dependency}`]?.version
      expect(
        ['^', '~'].map((sign) => `${sign}${tested}`),
        dependency,
      ).toContain(range)
    }
  })

  it('are in the package as they are here', () => {
    const built = join(root, 'dist/cli/templates')
    const diff = () => execFileSync('diff', ['-r', sources, built], { encoding: 'utf8' })
    expect(diff()).toBe('')
  })

  it.each(['pnpm', 'yarn', 'bun'] as const)('speak of %s to those who use it', (packageManager) => {
    for (const { name } of TEMPLATES) {
      const files = createProjectFiles({ template: name, name: 'x', packageManager }, sources)
      for (const [path, text] of files) {
        if (path !== 'Dockerfile') expect(text, path).not.toMatch(/\bnp[mx] /)
        else expect(text).not.toMatch(/npm ci|package\*\.json/)
      }
      expect(files.has('.yarnrc.yml')).toBe(packageManager === 'yarn')
    }
    expect(inWordsOf(packageManager, 'npm start -- x')).toBe(`${packageManager} run start x`)
  })

  it('take the package manager that started the command', () => {
    expect(detectPackageManager({ npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v24' })).toBe('pnpm')
    expect(detectPackageManager({ npm_config_user_agent: 'cnpm/1' })).toBe('npm')
    expect(detectPackageManager({})).toBe('npm')
  })
})

describe('the name of a folder', () => {
  it.each([
    ['My Server', 'my-server'],
    ['Café Résumé', 'cafe-resume'],
    ['__private', 'private'],
    ['日本', 'my-server'],
    ['a.b_c', 'a.b_c'],
  ])('%s becomes %s', (folderName, name) => {
    expect(nameFromFolder(folderName, 'my-server')).toBe(name)
  })

  it('always becomes a package name, or one that is reserved', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (folderName) => {
        const problem = findNameProblem(nameFromFolder(folderName, 'my-server'), [])
        expect(problem ?? 'reserved').toContain('reserved')
      }),
    )
  })
})

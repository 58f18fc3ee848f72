// mcpwire migrate as a command: what it prints, writes and refuses.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mcpwire } from '../../../test/support/command-line.ts'
import { loadTsMorph } from '../../migrate/load-ts-morph.ts'
import { rewritePackage } from '../../migrate/package-json.ts'
import { unifiedDiff } from '../../migrate/show-diff.ts'
import { copyOf, FIXTURES } from './fixtures.ts'

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')

/** A project with one server, and a package.json. */
function createProject(fixture = 'register-tool') {
  const copy = copyOf(join(FIXTURES, fixture, 'before'))
  const manifest = {
    name: 'old',
    type: 'module',
    dependencies: { '@modelcontextprotocol/sdk': '^1.30.0', express: '^5.0.0', zod: '^3.25.0' },
  }
  writeFileSync(join(copy.folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return copy
}

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

describe('mcpwire migrate', () => {
  it('rewrites the files of a folder and its package.json, and prints the counts', async () => {
    using project = createProject()
    const { code, stdout } = await mcpwire(['migrate', '--force'], { cwd: project.folder })
    expect(code).toBe(0)
    expect(stdout).toContain('server.ts: 6 call sites, 6 rewritten, 0 marked')
    expect(stdout).toContain('6 call sites in 2 files: 6 rewritten, 0 marked.')
    expect(read(project.folder, 'server.ts')).toBe(read(join(FIXTURES, 'register-tool/after'), 'server.ts'))
    const { dependencies } = JSON.parse(read(project.folder, 'package.json')) as { dependencies: object }
    expect(dependencies).toMatchObject({ express: '^5.0.0', zod: '^4.2.0' })
    expect(Object.keys(dependencies).sort()).toEqual(['express', 'mcpwire', 'zod'])
  })

  it('--dry-run prints a diff and changes nothing', async () => {
    using project = createProject()
    const before = read(project.folder, 'server.ts')
    const { code, stdout } = await mcpwire(['migrate', 'server.ts', '--dry-run'], { cwd: project.folder })
    expect(code).toBe(0)
    expect(stdout).toContain('--- a/server.ts')
    expect(stdout).toContain("+import { MCPServer, ToolError } from 'mcpwire'")
    expect(stdout).toContain('-    "@modelcontextprotocol/sdk": "^1.30.0",')
    expect(read(project.folder, 'server.ts')).toBe(before)
  })

  it('marks what it cannot know with a comment, lists the marks, keeps the SDK for them, and exits with 1', async () => {
    using project = createProject('marks')
    const { code, stdout } = await mcpwire(['migrate', '.', '--force', '--json'], { cwd: project.folder })
    expect(code).toBe(1)
    const result = JSON.parse(stdout) as { marked: number; marks: { file: string; line: number; todo: string }[] }
    expect(result.marked).toBe(7)
    const lines = read(project.folder, 'server.ts').split('\n')
    for (const { line, todo } of result.marks) expect(lines[line - 1]).toContain(`// mcpwire-migrate: ${todo}`)
    expect(JSON.parse(read(project.folder, 'package.json'))).toMatchObject({
      dependencies: { '@modelcontextprotocol/sdk': '^1.30.0', mcpwire: expect.any(String) },
    })
  })

  it('names state that each session had for itself, because all users would share it, and exits with 1', async () => {
    using project = createProject('session-state')
    const { code, stdout, stderr } = await mcpwire(['migrate', '--force'], { cwd: project.folder })
    expect(code).toBe(1)
    expect(stdout).toContain('create-server.ts: 6 call sites, 6 rewritten, 0 marked, 5 to check')
    expect(stdout).toContain('10 rewritten, 0 marked, 8 to check.')
    expect(stderr).toMatch(/create-server\.ts:\d+: all users share secret now, .*ctx\.auth\?\.subject/)
    expect(stderr).not.toMatch(/share (?:schema|greeting|LIMIT|text|all|name) now/)
  })

  it('says of every session id that modern clients have none', async () => {
    using project = createProject('session-ids')
    const { code, stdout } = await mcpwire(['migrate', '--force', '--json'], { cwd: project.folder })
    expect(code).toBe(1)
    const { marked, toCheck, marks } = JSON.parse(stdout) as {
      marked: number
      toCheck: number
      marks: { todo: string }[]
    }
    expect({ marked, toCheck }).toEqual({ marked: 0, toCheck: 5 })
    for (const { todo } of marks) expect(todo).toMatch(/^modern clients have no session id/)
  })

  it('leaves files with uncommitted changes alone, unless --force is given', async () => {
    using project = createProject()
    git(project.folder, 'init', '--quiet')
    git(project.folder, 'add', '.')
    git(project.folder, 'commit', '--quiet', '-m', 'before')
    const changed = `${read(project.folder, 'server.ts')}// changed\n`
    writeFileSync(join(project.folder, 'server.ts'), changed)
    const refused = await mcpwire(['migrate'], { cwd: project.folder })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/changes that are not committed: .*server\.ts\. Nothing was changed\./)
    expect(read(project.folder, 'server.ts')).toBe(changed)
    git(project.folder, 'commit', '--quiet', '-a', '-m', 'changed')
    const { code } = await mcpwire(['migrate'], { cwd: project.folder })
    expect(code).toBe(0)
    expect(read(project.folder, 'server.ts')).toContain("from 'mcpwire'")
  })

  it('takes a package.json into which only what it needs was installed', async () => {
    using project = createProject()
    git(project.folder, 'init', '--quiet')
    git(project.folder, 'add', '.')
    git(project.folder, 'commit', '--quiet', '-m', 'before')
    const manifest = JSON.parse(read(project.folder, 'package.json')) as { dependencies: Record<string, string> }
    const write = (content: object) => writeFileSync(join(project.folder, 'package.json'), JSON.stringify(content))
    const installed = {
      ...manifest,
      dependencies: { mcpwire: '^0.3.0', ...manifest.dependencies },
      devDependencies: { 'ts-morph': '^28.0.0' },
    }
    write({ ...installed, version: '2.0.0' })
    const refused = await mcpwire(['migrate'], { cwd: project.folder })
    expect(refused.stderr).toMatch(/changes that are not committed: .*package\.json\. Nothing was changed\./)
    write(installed)
    expect((await mcpwire(['migrate'], { cwd: project.folder })).code).toBe(0)
    expect(read(project.folder, 'server.ts')).toContain("from 'mcpwire'")
  })

  it('says which file cannot be parsed, and where', async () => {
    using project = createProject()
    writeFileSync(join(project.folder, 'broken.ts'), 'const a = 1\nconst = 2\n')
    const { code, stderr } = await mcpwire(['migrate', '--dry-run'], { cwd: project.folder })
    expect(code).toBe(3)
    expect(stderr).toContain('broken.ts:2')
  })

  it('does nothing in a project without the SDK, and refuses paths that are not there', async () => {
    using project = createProject()
    writeFileSync(join(project.folder, 'server.ts'), 'export const a = 1\n')
    const { code, stdout } = await mcpwire(['migrate'], { cwd: project.folder })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'No file imports the official SDK. Nothing was changed.\n' })
    expect((await mcpwire(['migrate', 'nowhere.ts'], { cwd: project.folder })).code).toBe(3)
  })

  it('leaves out node_modules and build output unless they are named', async () => {
    using project = createProject()
    for (const name of ['node_modules', 'dist']) {
      mkdirSync(join(project.folder, name))
      cpSync(join(project.folder, 'server.ts'), join(project.folder, name, 'server.ts'))
    }
    const { stdout } = await mcpwire(['migrate', '--dry-run', '--json'], { cwd: project.folder })
    const files = (JSON.parse(stdout) as { files: { file: string }[] }).files.map(({ file }) => file)
    expect(files).toEqual(['server.ts', 'package.json'])
    const named = await mcpwire(['migrate', 'dist', '--dry-run', '--json'], { cwd: project.folder })
    expect((JSON.parse(named.stdout) as { files: { file: string }[] }).files[0]?.file).toBe('dist/server.ts')
  })

  it('a missing ts-morph is an error that names the command to install it', async () => {
    await expect(loadTsMorph([tmpdir()], `file://${tmpdir()}/none.js`)).rejects.toMatchObject({
      slug: 'ts-morph-missing',
      exitCode: 3,
      hint: expect.stringContaining('npm install --save-dev ts-morph'),
    })
  })
})

describe('package.json', () => {
  const needs = { version: '1.2.3', keepsSdk: false, usesZod: true }

  it('keeps its form, and gets zod where the SDK had brought it', () => {
    const text =
      '{\n\t"files": ["dist"],\n\t"devDependencies": {\n\t\t"@modelcontextprotocol/server": "^2.0.0"\n\t}\n}\n'
    const result = rewritePackage(text, needs)
    expect(result).toContain('"files": ["dist"]')
    expect(JSON.parse(result)).toMatchObject({ devDependencies: { mcpwire: '^1.2.3', zod: '^4.2.0' } })
    expect(result).not.toContain('modelcontextprotocol')
  })

  it('is left alone where it is not JSON', () => {
    expect(rewritePackage('{ nonsense', needs)).toBe('{ nonsense')
  })
})

describe('the diff', () => {
  it('has three lines around each change, and line numbers of both sides', () => {
    const old = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
    const next = old.toSpliced(9, 1, 'new').toSpliced(15, 0, 'more')
    expect(unifiedDiff('a.ts', old.join('\n'), next.join('\n')).split('\n')).toEqual([
      '--- a/a.ts',
      '+++ b/a.ts',
      '@@ -7,12 +7,13 @@',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+new',
      ' line 11',
      ' line 12',
      ' line 13',
      ' line 14',
      ' line 15',
      '+more',
      ' line 16',
      ' line 17',
      ' line 18',
    ])
  })
})

// scaffold S1: each template made from the packed package, installed, type-checked, tested, run and called.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEMPLATES } from '../../init/templates.ts'
import { TEMPLATE_CALLS } from './template-calls.ts'
import { openWorkshop, type TemplateProject, type Workshop } from './template-project.ts'

const isFull = process.env['FULL_TESTS'] === '1'
const templates = TEMPLATES.filter(({ name }) => isFull || name === 'minimal')

let workshop: Workshop
beforeAll(async () => {
  workshop = await openWorkshop(['.', 'packages/create-mcpwire'])
})
afterAll(() => workshop.close())

describe('npm create mcpwire', () => {
  it('makes the project that mcpwire init makes', async () => {
    const { code, stderr } = await workshop.npmCreate('created', '--template', 'http', '--no-install', '--yes')
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const made = await workshop.create('http', '--no-install', '--name', 'created')
    for (const path of made.created.files) {
      expect(readFileSync(join(workshop.folder, 'created', path), 'utf8')).toBe(made.read(path))
    }
    rmSync(made.folder, { recursive: true })
  })

  it('passes arguments and exit codes on', async () => {
    const { code, stderr } = await workshop.npmCreate('other', '--template', 'none')
    expect(code).toBe(2)
    expect(stderr).toContain('minimal, http')
  })

  it('depends on the package of its own version alone', () => {
    const read = (path: string) =>
      JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')) as {
        version: string
        dependencies: Record<string, string>
      }
    const { version, dependencies } = read('packages/create-mcpwire/package.json')
    expect(version).toBe(read('package.json').version)
    expect(dependencies).toEqual({ mcpwire: `^${version}` })
  })
})

describe.each(templates)('scaffold S1: the template $name', ({ name }) => {
  const { call, start, server } = TEMPLATE_CALLS[name]!
  const [tool, ...words] = call.words
  let project: TemplateProject
  beforeAll(async () => {
    project = await workshop.create(name)
  })

  it('1: is created with its files and installed', () => {
    expect(project.created).toMatchObject({ name: `${name}-project`, installed: true })
    const manifest = JSON.parse(project.read('node_modules/mcpwire/package.json')) as { name: string }
    expect(manifest.name).toBe('mcpwire')
    for (const path of ['README.md', '.gitignore', '.vscode/mcp.json', '.vscode/launch.json', 'tsconfig.json'])
      expect(project.created.files).toContain(path)
    for (const path of project.created.files) expect(project.read(path)).not.toContain('my-server')
  })

  it('2: has a README of 15 lines whose scripts exist', () => {
    const readme = project.read('README.md')
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
    const { scripts } = JSON.parse(project.read('package.json')) as { scripts: Record<string, string> }
    const named = [...readme.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, script]) => script as string)
    expect(named).toEqual(expect.arrayContaining(['dev', 'start', 'test', 'typecheck', 'inspect']))
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([])
  })

  it('3: passes its type check', async () => {
    const { code, stdout } = await project.npm('run', 'typecheck')
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
  })

  it('4: passes its tests, which run in both eras', async () => {
    const { code, stdout, stderr } = await project.npm('test', '--', '--reporter=verbose')
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' })
    expect(stdout).toContain('(legacy)')
    expect(stdout).toContain('(modern)')
  })

  it('5: runs by npm start', () => start(project))

  it('6: is listed by mcpwire list', async () => {
    const { code, stdout, stderr } = await project.mcpwire('list', '.')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(tool)
  })

  it.each(['legacy', 'modern'])('7, 8: is called by mcpwire call in mode %s', async (mode) => {
    const { code, stdout, stderr } = await project.mcpwire('call', '.', tool!, ...words, '--mode', mode)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(call.prints)
  })

  it('9: is called by the entry in .vscode/mcp.json', async () => {
    const config = project.read('.vscode/mcp.json')
    const [entry] = Object.keys((JSON.parse(config) as { servers: object }).servers)
    const { code, stdout, stderr } = await project.mcpwire('call', `@${entry}`, tool!, ...words, '--yes')
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(call.prints)
  })

  it('10: is served with reload by mcpwire dev', async () => {
    const dev = await project.startScript(['exec', '--', 'mcpwire', 'dev', server, '--port', '0', '--no-open'], '/mcp')
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(dev.printed) ?? []
    const { code, stdout } = await project.mcpwire('call', url, tool!, ...words)
    await dev.stop()
    expect(code).toBe(0)
    expect(stdout).toContain(call.prints)
  })
})

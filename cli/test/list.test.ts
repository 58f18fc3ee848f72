// mcpwire list: what a server offers, for people and for scripts.
import { describe, expect, it } from 'vitest'
import { mcpwire, program } from '../../test/support/command-line.ts'

const exported = program('exported.js')

describe('cli C1: mcpwire list', () => {
  it('prints signatures, one line each, and nothing else on stdout', async () => {
    const { code, stdout, stderr } = await mcpwire(['list', exported])
    expect(code).toBe(0)
    expect(stdout).toBe(`calculator 1.2.3 · 2026-07-28 (modern)

  Adds.
  Does nothing else.

Tools
  add(a: number, b: number, unit?: "m" | "km")   Adds two numbers
  echo(text?: string, list?: any)
  fail()
  environment()
  picture()

Resources
  note://today

Resource templates
  greeting://{name}

Prompts
  poem(about: string)
`)
    // What the program printed is not lost.
    expect(stderr).toContain('printed while loading')
  })

  it('prints one kind, names only, or schemas', async () => {
    const [prompts, names, schema] = await Promise.all([
      mcpwire(['list', exported, '--prompts', '--mode', 'legacy']),
      mcpwire(['list', exported, '--names', '--tools', '--prompts']),
      mcpwire(['list', exported, '--schema', '--tools']),
    ])
    expect(prompts.stdout).toMatch(/2025-11-25 \(legacy\)[\s\S]*\nPrompts\n {2}poem\(about: string\)\n$/)
    expect(prompts.stdout).not.toContain('Tools')
    expect(names.stdout).toBe('add\necho\nfail\nenvironment\npicture\npoem\n')
    expect(schema.stdout).toMatch(
      /add\(a: number, .*\n {4}Adds two numbers\n {4}\{\n {6}"input": \{\n[\s\S]* {10}"a": \{\n {12}"type": "number"/,
    )
  })

  it('names what is not there', async () => {
    const [all, one] = await Promise.all([
      mcpwire(['list', program('nothing.js')]),
      mcpwire(['list', program('nothing.js'), '--tools']),
    ])
    expect(all).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\n\nThe server has no tools, resources or prompts\.\n$/),
    })
    expect(one).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n\nThe server has no tools\.\n$/) })
  })

  it('prints JSON that scripts can read, and only what was asked for', async () => {
    const { stdout } = await mcpwire(['list', exported, '--json', '--tools'])
    const overview = JSON.parse(stdout) as { tools: { name: string }[] }
    expect(overview).toMatchObject({ server: { name: 'calculator' }, era: 'modern', protocolVersion: '2026-07-28' })
    expect(overview.tools.map(({ name }) => name)).toContain('add')
    expect(Object.keys(overview)).not.toContain('prompts')
  })

  it('prints nothing but the result with --quiet, and the connection with --verbose', async () => {
    const [quiet, verbose] = await Promise.all([
      mcpwire(['list', exported, '--names', '--quiet']),
      mcpwire(['--verbose', 'list', exported, '--names']),
    ])
    expect(quiet).toMatchObject({ code: 0, stderr: '' })
    expect(verbose.stderr).toContain('Connected to calculator by revision 2026-07-28')
  })
})

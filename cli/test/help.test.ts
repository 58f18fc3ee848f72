// The help table: complete, in plain words, and the same as commander, `--help` and the pages in docs/cli.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { mcpwire } from '../../test/support/command-line.ts'
import { createPages } from '../help/docs-pages.ts'
import { OUTPUT } from '../help/shared-options.ts'
import { showOverallHelp, showVerbHelp } from '../help/show-help.ts'
import { loadVerbs } from '../help/table.ts'
import { shownOptions } from '../help/verb-help.ts'
import { namesOf } from '../program.ts'
import { VERB_MODULES } from '../verbs/verbs.ts'

const VERBS = await loadVerbs()

const texts = VERBS.flatMap((verb) => [
  [verb.name, verb.summary],
  ...[...verb.arguments.map(({ name, text }) => ({ flags: name, text })), ...shownOptions(verb)].map(
    ({ flags, text }) => [`${verb.name} ${flags}`, text],
  ),
]) as [name: string, text: string][]

/** Phrases that a reader has to translate. */
const UNCOMMON = /\b(?:unless given|as said|may be repeated|which one|take .* out|told|whatever|where the)\b/i

/** Verbs for which there are plans and no code. */
const RESERVED = ['lock', 'check', 'types', 'gen', 'weigh', 'record', 'replay']

describe('the help texts of the command line are plain', () => {
  it('fit into a terminal of 40 columns', () => {
    const style = { paint: { bold: String, dim: String }, width: 40 }
    const overall = showOverallHelp(VERBS, style, OUTPUT.options).split('\n')
    expect(overall.filter((line) => line.length > 40 && !line.includes('[arguments]'))).toEqual([])
    for (const verb of VERBS) {
      const [summary = '', next = ''] = showVerbHelp(verb, style).split('\n')
      expect(Math.max(summary.length, next.length)).toBeLessThanOrEqual(40)
    }
  })

  it('there are many of them', () => {
    expect(texts.length).toBeGreaterThan(30)
  })

  it.each(texts)('%s: %s', (_name, text) => {
    expect(text).toMatch(/^(?:[A-Z]|@)/)
    expect(text).not.toMatch(/[.;]$/)
    expect(text).not.toMatch(UNCOMMON)
    expect(text.length).toBeLessThan(100)
  })
})

describe('the help table', () => {
  it('has code for each of its verbs, and a verb for each code', () => {
    expect(VERBS.map(({ name }) => name).sort()).toEqual(Object.keys(VERB_MODULES).sort())
  })

  it.each(VERBS)('$name has two examples, and refers to verbs that exist', (verb) => {
    expect(verb.examples.length).toBeGreaterThanOrEqual(2)
    for (const { command } of verb.examples) expect(command).toMatch(new RegExp(`^mcpwire ${verb.name}\\b`))
    const names = VERBS.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...verb.seeAlso]))
    const flags = shownOptions(verb).flatMap((option) => namesOf(option.flags))
    expect(new Set(flags).size).toBe(flags.length)
  })

  it('is what docs/cli says', () => {
    const folder = fileURLToPath(new URL('../../docs/cli/', import.meta.url))
    const pages = createPages(VERBS)
    expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort())
    for (const [name, text] of pages) expect(readFileSync(`${folder}${name}`, 'utf8')).toBe(text)
  })

  it.each(VERBS)('cli C1: $name --help has its usage, options, examples and exit codes', async (verb) => {
    const { code, stdout, stderr } = await mcpwire([verb.name, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const line of verb.usage) expect(stdout).toContain(`  mcpwire ${line}\n`)
    for (const { command } of verb.examples) expect(stdout).toContain(`  ${command}\n`)
    for (const { flags } of shownOptions(verb)) expect(stdout).toContain(flags)
    expect(stdout).toContain('Exit codes: ')
  })

  it('cli C1: --help lists all verbs in groups', async () => {
    const { code, stdout } = await mcpwire(['--help'])
    expect(code).toBe(0)
    for (const { name, summary, group } of VERBS) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary.slice(0, 20)}`, 'm'))
      expect(stdout).toContain(`\n${group}\n`)
    }
  })

  it.each(RESERVED)('%s is an unknown command', async (name) => {
    const { code, stdout, stderr } = await mcpwire([name, 'x'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`mcpwire: Unknown command "${name}".`)
  })
})

// mcpwire migrate on small programs: what comes out is compared as text, type-checked, and run beside the old program.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findFiles } from '../../migrate/find-files.ts'
import { planMigration } from '../../migrate/migrate.ts'
import { copyOf, FIXTURES, fixtures, mainFile, textsIn } from './fixtures.ts'
import { answersOf } from './run-program.ts'

const isFull = process.env['FULL_TESTS'] === '1'
/** The others run with FULL_TESTS=1. */
const RUN_ALWAYS = new Set(['register-tool'])

describe('fixtures of mcpwire migrate', () => {
  it('there are 20 or more', () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(20)
  })

  it.each(fixtures)('$name: the program after is what migrate makes of the one before', async ({ folder, use }) => {
    using copy = copyOf(join(folder, 'before'))
    const plan = await planMigration(findFiles([copy.folder]), [copy.folder])
    const after = textsIn(copy.folder)
    for (const change of plan.changes) {
      const name = change.path.slice(copy.folder.length + 1).replaceAll('\\', '/')
      if (name in after) after[name] = change.after
    }
    expect(after).toEqual(textsIn(join(folder, 'after')))
    expect(plan.marked).toBe(use.marks ?? 0)
    expect(plan.toCheck).toBe(use.checks ?? 0)
    expect(plan.marks).toHaveLength((use.marks ?? 0) + (use.checks ?? 0))
  })

  it.each(fixtures)('$name: migrating twice changes nothing more', async ({ folder, use }) => {
    const plan = await planMigration(findFiles([join(folder, 'after')]), [folder])
    // What was marked still imports the SDK.
    if (use.marks === undefined) expect(plan.usesSdk).toBe(false)
  })

  const programs = fixtures.filter(({ use }) => use.marks === undefined)
  const run = programs.filter(({ name }) => isFull || RUN_ALWAYS.has(name))
  it.each(run)('$name: answers as before', async ({ folder, use }) => {
    const before = await answersOf(mainFile(join(folder, 'before')), use)
    const after = await answersOf(mainFile(join(folder, 'after')), use)
    expect(after).toEqual(before)
  })

  it.runIf(isFull)('all programs before and after compile under strict', () => {
    const compiler = createRequire(import.meta.url)
      .resolve('typescript/package.json')
      .replace('package.json', 'bin/tsc')
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', FIXTURES], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})

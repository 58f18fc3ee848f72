// docs D6: each failure of the command line is provoked by the commands on its page, run by a shell as a user does.
import { execFile } from 'node:child_process'
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
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MAIN } from '../../test/support/command-line.ts'
import { COMMAND_LINE } from '../errors/catalogue/command-line.ts'
import { type CatalogueEntry, messagePattern } from '../errors/catalogue/entry.ts'

const root = new URL('../../', import.meta.url)
const programs = new URL('docs/examples/errors/', root)
const slugs = Object.keys(COMMAND_LINE) as (keyof typeof COMMAND_LINE)[]
const entryOf = (slug: string): CatalogueEntry => COMMAND_LINE[slug as keyof typeof COMMAND_LINE]

/** What no command of a few lines provokes: a terminal, another installation or a broken disk is needed. Tests do, with a part of it. */
const ELSEWHERE: Readonly<Record<string, readonly [test: string, words: string]>> = {
  bug: ['test/docs/errors.test.ts', "slug: 'bug'"],
  cancelled: ['cli/test/install/choose-hosts.test.ts', 'exitCode: 130'],
  'npx-cache': ['cli/test/install/install-entry.test.ts', 'npx cache'],
  'project-not-written': ['cli/test/init.test.ts', 'cannot be written to'],
  'ts-morph-missing': ['cli/test/migrate/migrate.test.ts', 'ts-morph'],
}

/** Three in `npm test`, and all of them in `npm run test:full`. */
const isShort = process.env['FULL_TESTS'] !== '1'
const SHORT = ['file-not-found', 'no-server-in-file', 'usage']

const nodeMajor = Number(process.versions.node.split('.')[0])
const provoked = slugs.filter((slug) => !Object.hasOwn(ELSEWHERE, slug) && (slug !== 'node-too-old' || nodeMajor < 22))

interface Ended {
  readonly code: number
  readonly stderr: string
}

/** An empty project with the package and the command, and no other package. */
function runProgram(slug: string, withJSON: boolean): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-error-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['node_modules', 'bin-of-test', 'home']) mkdirSync(join(folder, name))
  symlinkSync(fileURLToPath(root), join(folder, 'node_modules/mcpwire'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const command = join(folder, 'bin-of-test/mcpwire')
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
  chmodSync(command, 0o755)
  const program = readFileSync(new URL(`${slug}.sh`, programs), 'utf8').trimEnd()
  const path = [dirname(command), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
  const env = { HOME: join(folder, 'home'), PATH: path }
  return new Promise((resolve) => {
    const child = execFile(
      'sh',
      ['-c', withJSON ? `${program} --json` : program],
      { cwd: folder, env },
      (_error, _stdout, stderr) => resolve({ code: child.exitCode ?? -1, stderr }),
    )
    child.stdin?.end()
  })
}

describe('docs D6: each failure of the command line is provoked by the commands on its page', () => {
  it.runIf(existsSync('/bin/sh')).each(isShort ? SHORT : provoked)('%s', { timeout: 120_000 }, async (slug) => {
    const entry = entryOf(slug)
    const exitCode = Number(entry.class.replace('Exit code ', ''))
    const plain = await runProgram(slug, false)
    expect(plain.code, plain.stderr).toBe(exitCode)
    expect(plain.stderr).toMatch(messagePattern(entry))
    expect(plain.stderr).not.toMatch(/^\s+at /m)
    const [line = ''] = (await runProgram(slug, true)).stderr.split('\n').filter((text) => text.startsWith('{"error":'))
    expect(JSON.parse(line)).toMatchObject({ error: { slug, exitCode, help: `mcpwire/docs/errors/${slug}.md` } })
  })

  it('has commands for each of them, or a test that has what commands lack', () => {
    const names = readdirSync(programs).filter((file) => file.endsWith('.sh'))
    const without = slugs.filter((slug) => !names.includes(`${slug}.sh`))
    expect(without.sort()).toEqual(Object.keys(ELSEWHERE).sort())
    expect(names.filter((name) => !Object.hasOwn(COMMAND_LINE, name.replace('.sh', '')))).toEqual([])
    for (const [test, words] of Object.values(ELSEWHERE)) {
      expect(readFileSync(new URL(test, root), 'utf8'), `${test} provokes it`).toContain(words)
    }
  })
})

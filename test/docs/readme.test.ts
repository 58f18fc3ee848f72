// docs D11: README is short, its programs have as many lines as it promises, and what it says works in an empty folder.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { describeOn } from '../runtimes/installed.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const script = fileURLToPath(new URL('scripts/readme.js', root))

const linesOf = (program: string) =>
  read(`docs/examples/${program}`)
    .split('\n')
    .filter((line) => line.trim() !== '').length

describe('docs D11: README', () => {
  it('has at most 150 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  it.each([
    ['start/server.ts', 5],
    ['start/http.ts', 5],
    ['start/client.ts', 4],
    ['start/ask.ts', 12],
  ])('shows %s in %i lines', (program, lines) => {
    expect(linesOf(program)).toBe(lines)
    expect(read('README.md')).toContain(`<!-- docs/examples/${program} -->`)
  })

  it.runIf(process.env['FULL_TESTS'])('does what it says in an empty folder, in 60 s', () => {
    expect(execFileSync(process.execPath, [script], { encoding: 'utf8' })).toContain('README works')
  })

  describe.runIf(process.env['FULL_TESTS'])('on Node 24', () => {
    describeOn('node24', (program) => {
      it('does what it says in an empty folder, in 60 s', () => {
        expect(execFileSync(program, [script], { encoding: 'utf8' })).toContain('README works on Node 24')
      })
    })
  })
})

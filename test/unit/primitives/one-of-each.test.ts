// One isThenable, one isPlainObject, one MaybePromise, one way to listen to abort signals, one way to check a number.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { assertCount, assertDuration, assertPositive } from '../../../src/primitives/options.ts'

const SOURCE = join(import.meta.dirname, '../../../src')
const sources = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(SOURCE, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))

const withPattern = (pattern: RegExp) =>
  sources.filter((path) => pattern.test(readFileSync(join(SOURCE, path), 'utf8')))

describe('helpers that every module needs stand in one place', () => {
  it.each<[string, RegExp, string]>([
    ['isThenable', /typeof [^\n]*\.then === 'function'/, 'primitives/async/promises.ts'],
    ['MaybePromise', /type MaybePromise\b[^\n]*=/, 'primitives/async/promises.ts'],
    ['isPlainObject', /=== 'object' && \w+ !== null && !Array\.isArray\(/, 'primitives/json/objects.ts'],
    ['listening to abort signals', /addEventListener\(\s*'abort'/, 'primitives/async/abort.ts'],
    ['the check of a duration', /Use a number of milliseconds, 0 or more, or Infinity/, 'primitives/options.ts'],
    ['the check of a count', /Use a whole number, \$/, 'primitives/options.ts'],
  ])('%s', (_name, pattern, place) => {
    expect(withPattern(pattern)).toEqual([place])
  })
})

describe('the check of a number names the option, says what it must be, and shows the value', () => {
  it.each<[() => void, string]>([
    [() => assertDuration('timeoutMs', -1), 'timeoutMs is -1. Use a number of milliseconds, 0 or more, or Infinity.'],
    [
      () => assertDuration('timeoutMs', Number.NaN),
      'timeoutMs is NaN. Use a number of milliseconds, 0 or more, or Infinity.',
    ],
    [() => assertCount('pageSize', 0, 1), 'pageSize is 0. Use a whole number, 1 or more.'],
    [
      () => assertCount('pageSize', 'secret' as unknown as number, 1),
      'pageSize is a string. Use a whole number, 1 or more.',
    ],
    [() => assertPositive('perSecond', 0), 'perSecond is 0. Use a number above 0.'],
  ])('%s', (check, message) => {
    expect(check).toThrow(new RangeError(message))
  })

  it('takes what fits', () => {
    assertDuration('a', 0)
    assertDuration('a', Infinity)
    assertCount('a', 1, 1)
    assertPositive('a', 0.5)
  })
})

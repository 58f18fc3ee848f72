import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMilliseconds } from '../../../../test/support/cpu-time.ts'
import { compileJsonSchema } from '../../src/compile.ts'
import { LimitError, SchemaError } from '../../src/engine/errors.ts'
import { resolveLimits } from '../../src/engine/limits.ts'
import { Run } from '../../src/engine/run.ts'
import { Budget } from '../../src/engine/steps.ts'
import { type GuardedPattern, PatternSource } from '../../src/patterns/patterns.ts'

// Invariant I5 allows a block of 250 ms; the goal is 100.
const BLOCKED_MS = 250

const patient = resolveLimits({ maxValidationSteps: Number.MAX_SAFE_INTEGER })

function guard(source: string): GuardedPattern {
  return new PatternSource(undefined, new Budget(Number.MAX_SAFE_INTEGER)).get(source, '#/pattern')
}

/** `undefined` for a pattern that is rejected; any other failure is a failure of the test. */
function guardOrReject(source: string): GuardedPattern | undefined {
  try {
    return guard(source)
  } catch (error) {
    if (error instanceof SchemaError) return undefined
    throw error
  }
}

/** Whether the text is taken on at all, and how long that blocks. */
function attack(pattern: GuardedPattern, text: string): { isTaken: boolean; ms: number } {
  let isTaken = true
  const ms = cpuMilliseconds(() => {
    try {
      pattern.matches(text, new Run(patient))
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      isTaken = false
    }
  })
  return { isTaken, ms }
}

const LENGTHS = [8, 16, 24, 28, 32, 40, 64, 128, 256, 512, 1024, 2048, 4000, 8000]

/** The longest block, found with growing texts so that even exponential time is noticed before it hurts. */
function worstBlock(pattern: GuardedPattern, fills: readonly string[], ends: readonly string[]): number {
  let worst = 0
  for (const fill of fills) {
    for (const end of ends) {
      for (const length of LENGTHS) {
        const { isTaken, ms } = attack(pattern, fill.repeat(Math.ceil(length / fill.length)) + end)
        worst = Math.max(worst, ms)
        if (!isTaken || ms > BLOCKED_MS) break
      }
    }
  }
  return worst
}

describe('F192 patterns that may take exponential time are rejected with the schema', () => {
  it.each([
    '(a+)+$',
    '^(a+)+$',
    '(a*)*$',
    '(a|a)*$',
    '(a|aa)+$',
    '(a|a?)+$',
    '(.*)*x',
    '(x+x+)+y',
    '([a-zA-Z]+)*$',
    '(a*b?)*$',
    '((a?|b?)c)*$',
    '(\\w|\\d)+$',
    '^(\\w+\\s?)*$',
    '^(?:\\s*\\w+)*$',
    '(?:.|\\s)*$',
    '(a{2,3})+$',
    '(\\d{1,3})+$',
    '(a|b|ab)*$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a+)\\1+$',
    '(?=(a+)+$)a',
    '(?!(a+)+$)b',
    '(?<=(a+)+)b',
    '(?:a?){30}a{30}',
    `${'a?'.repeat(27)}${'a'.repeat(27)}`,
    '.*.*.*.*.*.*x',
    '(?:a{1000}){1000}',
    '(((a{30}){30}){30}){30}',
    `${'('.repeat(100)}a${')'.repeat(100)}`,
    '(?:a|b)'.repeat(1_500),
  ])('F192 %s', (pattern) => {
    expect(() => compileJsonSchema({ pattern })).toThrow(SchemaError)
    expect(() => compileJsonSchema({ pattern })).toThrow('the option "regexp"')
    expect(() => compileJsonSchema({ patternProperties: { [pattern]: {} } })).toThrow(SchemaError)
  })
})

describe('F192 patterns that may take polynomial time get texts of limited length', () => {
  it.each([
    ['\\s+$', ' ', 'x'],
    ['(a|ab)*c', 'ab', ''],
    ['f.*o', 'f', ''],
    ['\\s*,\\s*$', ' ', 'x'],
    ['^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$', '.', ' '],
    ['^\\S+@\\S+\\.\\S+$', '@.', ' '],
    ['^(.*)\\1$', 'a', 'b'],
    ['(?:[^"]|"")*"$', 'a', ''],
    ['^(?:a(?=.*b))*$', 'a', '!'],
    ['(?=[^a]{2}b*?(?!.+))', 'b', '!'],
    ['a{10000}', 'a', ''],
  ])('F192 %s', (source, fill, end) => {
    const pattern = guard(source)
    expect(attack(pattern, fill.repeat(100_000) + end).isTaken).toBe(false)
    expect(worstBlock(pattern, [fill], [end])).toBeLessThan(BLOCKED_MS)
  })

  it.each(['^a*a{60}$', '^a*a{9000}$', '^(?:a|b)*a{60}$', `^[^b]*${'a'.repeat(200)}$`, 'a{60}$'])(
    'F192 %s leaves its loop everywhere for a long way in vain',
    (source) => {
      const pattern = guard(source)
      for (const length of [1 << 12, 1 << 15, 1 << 18, 1 << 21]) {
        expect(attack(pattern, `${'a'.repeat(length)}!`).ms).toBeLessThan(BLOCKED_MS)
      }
    },
  )

  it('F192 several such texts together are bounded as well', () => {
    const { check } = compileJsonSchema({ items: { not: { pattern: '\\s+$' } } })
    const texts = Array.from({ length: 1_000 }, () => `${' '.repeat(2_500)}x`)
    expect(cpuMilliseconds(() => expect(() => check(texts)).toThrow(LimitError))).toBeLessThan(2 * BLOCKED_MS)
  })
})

describe('ordinary patterns', () => {
  it.each<[string, string]>([
    ['^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$', 'ada.lovelace@example.com'],
    ['^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$', 'ada@example.com'],
    [
      "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
      'ada@mail.example.com',
    ],
    [
      "^[a-zA-Z0-9.!#$%&'*+\\/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$",
      'ada@example.com',
    ],
    [
      '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
      '1.0.0-alpha.1+build.5',
    ],
    ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', '7a3b0c1d-0000-4000-8000-123456789abc'],
    ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-slug-of-words'],
    ['^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$', '2026-07-28T12:00:00.5Z'],
    ['^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$', '00:1b:44:11:3a:b7'],
    ['^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$', 'aGVsbG8gd29ybGQ='],
    [
      '^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]*[a-zA-Z0-9])\\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\\-]*[A-Za-z0-9])$',
      'a.b-c.d',
    ],
    ['^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$', 'Passw0rds'],
    ['^((25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$', '192.168.1.1'],
    ['^((25[0-5]|(2[0-4]|1\\d|[1-9]|)\\d)\\.?\\b){4}$', '10.0.255.1'],
    ['^\\d{1,3}(,\\d{3})*(\\.\\d+)?$', '1,234,567.89'],
    ['^#(?:[0-9a-fA-F]{3}){1,2}$', '#ffcc00'],
    ['^\\+?[1-9]\\d{1,14}$', '+4915112345678'],
    ['^https?://[^\\s/$.?#].[^\\s]*$', 'https://example.com/a?b'],
    ['^/(?:[^/]+/)*[^/]*$', '/usr/local/bin'],
    ['^(\\w+\\s*,\\s*)*\\w+$', 'a, b ,c'],
    ['^\\p{L}+(?:-\\p{L}+)*$', 'Änne-Marie'],
    ['^"([^"\\\\]|\\\\.)*"$', '"quoted \\" text"'],
    ['^((?!foo).)*$', 'bar'],
    ['^P(?!$)(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?$', 'P1Y2M3DT4H'],
    ['^[\\u{1F600}-\\u{1F64F}\\uD83D\\uDE80]+$', '😀🚀'],
    ['^[^\\]\\x00-\\x1f\\cJ\\b-]+$', 'text'],
    ['^(?<word>\\w+) \\k<word>$', 'hello hello'],
  ])('%s is accepted', (source, text) => {
    const pattern = guard(source)
    expect(pattern.matches(text, new Run(patient))).toBe(true)
    expect(pattern.matches('\u0000\n', new Run(patient))).toBe(false)
  })

  it.each<[string, string, string]>([
    ['^\\d{3}\\-\\d{4}\\@\\_$', '555-1234@_', '555\\-1234@_'],
    ['^[\\w-.]+$', 'a-b.c', 'a+b'],
    ['^[\\_\\-.-\\d]+$', '_-.1', 'a'],
  ])('%s has backslashes too many or too few, and means what it says', (source, text, other) => {
    expect(() => new RegExp(source, 'u')).toThrow(SyntaxError)
    expect(guard(source).matches(text, new Run(patient))).toBe(true)
    expect(guard(source).matches(other, new Run(patient))).toBe(false)
  })

  it.each(['\\Astart', 'end\\Z', '\\a', '(', '[b-a]'])('%s is rejected rather than guessed at', (source) => {
    expect(() => guard(source)).toThrow('is not a valid regular expression')
  })

  it.each([
    '^[a-z]+$',
    '^.*$',
    '\\S',
    '^[^@]+@[^@]+$',
    '^[0-9]{4}$',
    '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.|$)){4}$',
  ])('%s takes texts of any length', (source) => {
    expect(attack(guard(source), 'x'.repeat(1 << 20)).isTaken).toBe(true)
  })
})

describe('the analysis', () => {
  const atom = fc.constantFrom('a', 'b', '[ab]', '.', '\\w', '[^a]', '(?:ab)')
  const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,3}', '{2,}', '*?', '{3,5}')
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.tuple(atom, quantifier).map(([body, suffix]) => body + suffix),
      fc.array(tie('tree'), { minLength: 2, maxLength: 4 }).map((parts) => parts.join('')),
      fc
        .tuple(fc.array(tie('tree'), { minLength: 1, maxLength: 3 }), quantifier)
        .map(([options, suffix]) => `(?:${options.join('|')})${suffix}`),
      fc.tuple(fc.constantFrom('(?=', '(?!'), tie('tree')).map(([open, body]) => `${open}${body})`),
    ),
  }))
  const pattern = fc.tuple(fc.constantFrom('^', ''), tree, fc.constantFrom('$', '', 'c')).map((parts) => parts.join(''))

  it('F192 lets no pattern pass that blocks', () => {
    let accepted = 0
    fc.assert(
      fc.property(pattern, (source) => {
        const guarded = guardOrReject(source)
        if (guarded === undefined) return
        accepted += 1
        expect(worstBlock(guarded, ['a', 'b', 'ab', 'aab'], ['', '!', '\n'])).toBeLessThan(BLOCKED_MS)
      }),
      { seed: 20_261, numRuns: 250 },
    )
    expect(accepted).toBeGreaterThan(50)
  })

  it('F192 reads any source without failing in another way than by rejecting', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab()[\]{}*+?|\\.^$,:=!<>0-9dwpPuxk-]{0,24}$/), (source) => {
        guardOrReject(source)
      }),
      { seed: 20_262, numRuns: 1_000 },
    )
  })

  it('F192 takes bounded time itself', () => {
    const sources = [
      `^(?:${Array.from({ length: 3_000 }, (_, index) => `w${index}`).join('|')})*$`,
      `^${'[a-z]*'.repeat(400)}$`,
      `^${'(?:a|b)'.repeat(900)}$`,
      `^(?:${'[a-z]?'.repeat(300)})*$`,
    ]
    for (const source of sources) {
      expect(cpuMilliseconds(() => guardOrReject(source))).toBeLessThan(2 * BLOCKED_MS)
    }
  })
})

describe('the option regexp', () => {
  it('replaces the engine and its guard', () => {
    const sources: string[] = []
    const regexp = (source: string) => {
      sources.push(source)
      return { test: (text: string) => text === 'yes' }
    }
    const { check } = compileJsonSchema({ pattern: '(a+)+$', patternProperties: { '(b+)+$': false } }, { regexp })
    expect([check('yes'), check('no'), check({ yes: 1 }), check({ no: 1 })]).toEqual([true, false, false, true])
    expect(sources).toEqual(['(a+)+$', '(b+)+$'])
  })

  it('may reject a pattern', () => {
    const regexp = () => {
      throw new Error('look-behind is not supported')
    }
    expect(() => compileJsonSchema({ pattern: 'a' }, { regexp })).toThrow(SchemaError)
  })
})

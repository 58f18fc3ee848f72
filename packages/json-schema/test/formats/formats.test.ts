// What the formats accept is proven by the official suite; this is about the option, and about hostile texts.
import { describe, expect, it } from 'vitest'
import { cpuMilliseconds } from '../../../../test/support/cpu-time.ts'
import { compileJsonSchema } from '../../src/compile.ts'
import { FORMATS } from '../../src/formats/formats.ts'

describe('the option formats', () => {
  it('is needed for formats to be checked', () => {
    expect(compileJsonSchema({ format: 'ipv4' }).check('x')).toBe(true)
    expect(compileJsonSchema({ format: 'ipv4' }, { formats: 'assert' }).check('x')).toBe(false)
    expect(compileJsonSchema({ format: 'ipv4' }, { formats: 'assert' }).check(1)).toBe(true)
  })

  it('lets unknown formats pass', () => {
    expect(compileJsonSchema({ format: 'toString' }, { formats: 'assert' }).check('x')).toBe(true)
  })

  it('is not needed where the meta-schema asks for assertion', () => {
    const $schema = 'https://example.com/meta'
    const vocabulary = 'https://json-schema.org/draft/2020-12/vocab/'
    const documents = {
      [$schema]: { $vocabulary: { [`${vocabulary}core`]: true, [`${vocabulary}format-assertion`]: true } },
    }
    expect(compileJsonSchema({ $schema, format: 'ipv4' }, { documents }).check('x')).toBe(false)
  })
})

const HOSTILE = [
  'a'.repeat(1 << 20),
  '1'.repeat(1 << 20),
  '.'.repeat(1 << 20),
  `P${'1Y'.repeat(1 << 19)}`,
  `${'a@'.repeat(1 << 19)}`,
  `"${'\\"'.repeat(1 << 19)}`,
  ':'.repeat(1 << 20),
  `http://${'%41'.repeat(1 << 18)}[`,
  `http://${'@'.repeat(1 << 20)}`,
  '#'.repeat(1 << 20),
  '/~0'.repeat(1 << 18),
  '('.repeat(1 << 20),
  `${'0'.repeat(1 << 20)}Z`,
  '',
]

it.each([...FORMATS.keys()])('F192 %s takes hostile texts in linear time', (format) => {
  const isFormatted = FORMATS.get(format)!.accepts
  for (const text of HOSTILE) {
    expect(cpuMilliseconds(() => isFormatted(text))).toBeLessThan(250)
  }
})

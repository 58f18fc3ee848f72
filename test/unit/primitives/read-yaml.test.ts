// YAML as JSON: the core schema of YAML 1.2, and an error with a line for everything that two readers could take for two values.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readYAML, YAMLError } from '../../../src/primitives/read-yaml.ts'

function failureOf(text: string): YAMLError {
  try {
    readYAML(text)
  } catch (error) {
    expect(error).toBeInstanceOf(YAMLError)
    return error as YAMLError
  }
  return expect.unreachable(`${text} was read`)
}

describe('YAML', () => {
  it('has the scalars of the core schema, and nothing of YAML 1.1', () => {
    const text = `
      null: [~, null, Null, NULL, ]
      empty:
      yes: [true, True, FALSE]
      no: [no, yes, on, off, y, n, tRUE]
      integers: [0, -7, +8, 010, 0o17, 0xff]
      floats: [1.5, .5, 1., 1e3, -2.5E-1]
      texts: [1_000, 0b11, 2024-01-01, 2001-12-14t21:59:43.10-05:00, 1:30, 0o8, 0xg, 1e, "1", '2']
    `.replace('null: [', 'nothing: [')
    expect(readYAML(text)).toEqual({
      nothing: [null, null, null, null],
      empty: null,
      yes: [true, true, false],
      no: ['no', 'yes', 'on', 'off', 'y', 'n', 'tRUE'],
      integers: [0, -7, 8, 10, 15, 255],
      floats: [1.5, 0.5, 1, 1000, -0.25],
      texts: ['1_000', '0b11', '2024-01-01', '2001-12-14t21:59:43.10-05:00', '1:30', '0o8', '0xg', '1e', '1', '2'],
    })
  })

  it('has block and flow collections, folded and literal text', () => {
    const text = 'a:\n- 1\n- b: c\n  d: [e, {f: 2}]\ntext: |\n  one\n   two\nfolded: >-\n  one\n  two\n'
    expect(readYAML(text)).toEqual({ a: [1, { b: 'c', d: ['e', { f: 2 }] }], text: 'one\n two\n', folded: 'one two' })
  })

  it('has keys such as __proto__ as plain members', () => {
    const value = readYAML('__proto__: 1\nconstructor: 2') as object
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it.each([
    ['a: 1\na: 2', 2, 'duplicated'],
    ['a: 1\nb: !!str 2', 2, 'a tag'],
    ['a: 1\nb: !x 2', 2, 'a tag'],
    ['a: ! 2', 1, 'a tag'],
    ['a: 1\n\nb:\n  # comment\n  &x 1', 5, 'an anchor'],
    ['a: &x [*x]', 1, 'an anchor'],
    ['a: *x', 1, 'an alias'],
    ['a: 1\n2: b', 2, 'a key is not a string'],
    ['true: b', 1, 'a key is not a string'],
    ['~: b', 1, 'a key is not a string'],
    ['{1}', 1, 'a key is not a string'],
    ['{[a]}', 1, 'a key is not a string'],
    ['? {a: b}\n: c', 1, 'a key is not a string'],
    ['a: .nan', 1, 'no JSON form'],
    ['a: -.inf', 1, 'no JSON form'],
    ['a: 1e999', 1, 'no JSON form'],
    ['a: 1\n---\nb: 2', 1, 'single document'],
    ['['.repeat(100), 1, 'nesting'],
  ])('refuses %j, with the line', (text, line, reason) => {
    const failure = failureOf(text)
    expect(failure.message).toContain(reason)
    expect(failure.line).toBe(line)
  })

  it('reads every JSON text as JSON does', () => {
    const value = fc
      .jsonValue({ maxDepth: 4 })
      .filter((json) => !/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/.test(JSON.stringify(json)))
    fc.assert(
      fc.property(value, (json) => {
        expect(readYAML(JSON.stringify({ json }))).toEqual(JSON.parse(JSON.stringify({ json })))
      }),
    )
  })

  it('never fails in another way, whatever the text', () => {
    const piece = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '? ',
      '{',
      '}',
      '[',
      ']',
      ',',
      '&',
      '*',
      '!',
      '|',
      '>',
      '"',
      "'",
      '#',
      '%',
      '---',
      '~',
      '1',
      '\t',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('')
        try {
          JSON.stringify(readYAML(text))
        } catch (error) {
          expect(error, text).toBeInstanceOf(YAMLError)
        }
      }),
      { numRuns: 5_000 },
    )
  })
})

it('compose O03 merge keys count as the members that they add', () => {
  const members = Array.from({ length: 5_000 }, (_, at) => `k${at}: 1`).join(', ')
  const merges = Array.from({ length: 1_000 }, (_, at) => `m${at}:\n  <<: *b`).join('\n')
  const read = () => readYAML(`b: &b {${members}}\n${merges}`, { maxExpansion: 1_000 })
  expect(read).toThrow(/its aliases expand to too much/)
})

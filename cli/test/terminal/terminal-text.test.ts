// Text of others on a terminal: nothing that acts, nothing that hides, and for JSON nothing lost.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMilliseconds } from '../../../test/support/cpu-time.ts'
import { actingIn } from '../../../test/support/terminal.ts'
import { showJSON, showLine, showText } from '../../terminal/terminal-text.ts'

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b',
      '\u009b',
      '\u0007',
      '\r',
      '\n',
      '\t',
      '\u202e',
      '\u2066',
      '\u200b',
      '\u200d',
      '\ud800',
      '👩',
    ),
    fc.constantFrom('[2J', ']0;title', ']52;c;', '\\', 'A', ' ', 'é', '語'),
    fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  ),
  maxLength: 60,
})

describe('text for a terminal', () => {
  it.each([
    ['a title', '\u001b]0;owned\u0007', '\\x1b]0;owned\\x07'],
    ['a hyperlink', '\u001b]8;;https://evil.example\u001b\\click', '\\x1b]8;;https://evil.example\\x1b\\click'],
    ['the clipboard', '\u001b]52;c;cm0=\u0007', '\\x1b]52;c;cm0=\\x07'],
    ['the same with 8-bit controls', '\u009d52;c;cm0=\u009c', '\\x9d52;c;cm0=\\x9c'],
    ['a cleared screen', '\u001b[2J\u001b[H', '\\x1b[2J\\x1b[H'],
    ['a line that is written over', 'safe\rrm -rf', 'safe\\x0drm -rf'],
    ['letters that are taken back', 'good\b\b\b\bbad', 'good\\x08\\x08\\x08\\x08bad'],
    ['turned letters', '\u202egnp.exe', '\\u202egnp.exe'],
    ['letters that are not seen', 'a\u200bb\u{e0041}', 'a\\u200bb\\u{e0041}'],
    ['half a character', '\ud800', '\\ud800'],
  ])('F203 neutralises %s', (_what, text, shown) => {
    expect(showText(text)).toBe(shown)
  })

  it.each(['Grüße, 世界', 'line\nline\tend', '👩‍👩‍👧 👍🏽', 'שלום', '1 < 2 & "x" \\ `y`'])(
    'leaves %j as it is',
    (text) => {
      expect(showText(text)).toBe(text)
    },
  )

  it('F203 lets nothing pass that acts or hides, whatever the text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(actingIn(showText(text))).toEqual([])
      }),
    )
  })

  it('F202, F203 keeps a name on its line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(showLine(text)).not.toMatch(/[\n\t]/)
        expect(actingIn(showLine(text))).toEqual([])
      }),
    )
  })

  it('F203 writes JSON that means the same and acts on nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, fc.oneof(hostile, fc.integer(), fc.array(hostile))), (value) => {
        const shown = showJSON(value)
        expect(actingIn(shown)).toEqual([])
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('takes time in proportion to the text', () => {
    const long = ' '.repeat(2_000_000)
    expect(cpuMilliseconds(() => showLine(`${long}x${'\u001b'.repeat(200_000)}`))).toBeLessThan(5_000)
  })
})

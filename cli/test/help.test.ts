// The help texts: imperative or a noun, a capital first, no full stop at the end, and only words that other tools use.
import { describe, expect, it } from 'vitest'
import { createProgram } from '../program.ts'
import { recordOutput } from './install/config-support.ts'

const program = createProgram(recordOutput(), () => {})

const texts = [program, ...program.commands].flatMap((command) => [
  [command.name(), command.description()],
  ...command.options.map(({ flags, description }) => [`${command.name()} ${flags}`, description]),
]) as [name: string, text: string][]

/** Phrases that a reader has to translate. */
const UNCOMMON = /\b(?:unless given|as said|may be repeated|which one|take .* out|told|whatever|where the)\b/i

describe('the help texts of the command line are plain', () => {
  it('there are many of them', () => {
    expect(texts.length).toBeGreaterThan(30)
  })

  it.each(texts.filter(([name]) => !name.endsWith('--version')))('%s: %s', (_name, text) => {
    expect(text).toMatch(/^[A-Z]/)
    expect(text).not.toMatch(/[.;]$/)
    expect(text).not.toMatch(UNCOMMON)
    expect(text.length).toBeLessThan(100)
  })
})

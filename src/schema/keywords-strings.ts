// Keywords about strings: length in code points, pattern, format.
import { FORMATS } from './formats.ts'
import { count, quote } from './issue.ts'
import { COUNT, type Keyword, STRING } from './keyword.ts'
import type { Check } from './node.ts'
import type { Run } from './run.ts'
import type { Site } from './site.ts'

export const STRING_KEYWORDS: readonly Keyword[] = [
  { name: 'minLength', vocabulary: 'validation', takes: COUNT, compile: compileMinLength },
  { name: 'maxLength', vocabulary: 'validation', takes: COUNT, compile: compileMaxLength },
  {
    name: 'pattern',
    vocabulary: 'validation',
    takes: STRING,
    patternsIn: (value) => [value as string],
    compile: compilePattern,
  },
  { name: 'format', vocabulary: 'format', takes: STRING, compile: compileFormat },
]

// A pass over a string is quick, yet a schema may ask for thousands of them.
const CHARACTERS_PER_STEP = 64

function compileMinLength(site: Site): Check {
  const min = site.value as number
  const refuse = site.refuse((value) => `expected at least ${lengthText(min)}, got ${lengthOf(value as string)}`)
  return (value, run) => typeof value !== 'string' || hasAtLeast(value, min, run) || refuse(value, run)
}

function compileMaxLength(site: Site): Check {
  const max = site.value as number
  const refuse = site.refuse((value) => `expected at most ${lengthText(max)}, got ${lengthOf(value as string)}`)
  return (value, run) => typeof value !== 'string' || !hasAtLeast(value, max + 1, run) || refuse(value, run)
}

/** Counts only when the number of code units leaves it open: a code point is one or two of them. */
function hasAtLeast(text: string, min: number, run: Run): boolean {
  if (text.length < min) return false
  if (text.length >= min * 2) return true
  run.spend(text.length / CHARACTERS_PER_STEP)
  return lengthOf(text) >= min
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

function lengthText(length: number): string {
  return count(length, 'character')
}

function compilePattern(site: Site): Check {
  const source = site.value as string
  const pattern = site.program.patterns.get(source, site.schemaPath)
  const refuse = site.refuse(() => `expected text that matches the pattern ${quote(source)}`)
  return (value, run) => typeof value !== 'string' || pattern.matches(value, run) || refuse(value, run)
}

function compileFormat(site: Site): Check | undefined {
  const isAsserted = site.program.assertsFormats || site.node.resource.dialect.assertsFormats
  const name = site.value as string
  const isFormatted = isAsserted ? FORMATS.get(name) : undefined
  if (isFormatted === undefined) return undefined
  const refuse = site.refuse(() => `expected text in the format ${quote(name)}`)
  return (value, run) => {
    if (typeof value !== 'string') return true
    run.spend(value.length / CHARACTERS_PER_STEP)
    return isFormatted(value) || refuse(value, run)
  }
}

// Keywords about strings: length in code points, pattern, format.

import { count, quote } from '../engine/issue.ts'
import type { KeywordChecks, Reject, Site } from '../engine/keyword.ts'
import type { Check } from '../engine/node.ts'
import type { Run } from '../engine/run.ts'
import { FORMATS } from '../formats/formats.ts'

export const STRING_CHECKS: KeywordChecks = {
  minLength: { compile: compileMinLength },
  maxLength: { compile: compileMaxLength },
  pattern: { compile: compilePattern },
  format: { compile: compileFormat },
}

function compileMinLength(site: Site): Check {
  const min = site.value as number
  const reject = site.reject((_, length) => `expected at least ${lengthText(min)}, got ${length}`)
  return (value, run) => typeof value !== 'string' || hasAtLeast(value, min, run) || rejectLength(reject, value, run)
}

function compileMaxLength(site: Site): Check {
  const max = site.value as number
  const reject = site.reject((_, length) => `expected at most ${lengthText(max)}, got ${length}`)
  return (value, run) =>
    typeof value !== 'string' || !hasAtLeast(value, max + 1, run) || rejectLength(reject, value, run)
}

function rejectLength(reject: Reject, text: string, run: Run): false {
  return run.stopsEarly ? false : reject(text, run, String(lengthOf(text, run)))
}

/** Counts only when the number of code units leaves it open: a code point is one or two of them. */
function hasAtLeast(text: string, min: number, run: Run): boolean {
  if (text.length < min) return false
  return text.length >= min * 2 || lengthOf(text, run) >= min
}

/** In code points: a high surrogate and the low one after it are one. */
function lengthOf(text: string, run: Run): number {
  run.spend(text.length >> 1)
  let { length } = text
  for (let at = 1; at < text.length; at++) {
    const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00
    if (isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) length -= 1
  }
  return length
}

function lengthText(length: number): string {
  return count(length, 'character')
}

function compilePattern(site: Site): Check {
  const source = site.value as string
  const pattern = site.program.patterns.get(source, site.schemaPath)
  const reject = site.reject(() => `expected text that matches the pattern ${quote(source)}`)
  return (value, run) => typeof value !== 'string' || pattern.matches(value, run) || reject(value, run)
}

function compileFormat(site: Site): Check | undefined {
  const isAsserted = site.program.assertsFormats || site.node.resource.dialect.assertsFormats
  const name = site.value as string
  const format = isAsserted ? FORMATS.get(name) : undefined
  if (format === undefined) return undefined
  const reject = site.reject(() => `expected text in the format ${quote(name)}`)
  return (value, run) => {
    if (typeof value !== 'string') return true
    run.spend(format.steps(value))
    return format.accepts(value) || reject(value, run)
  }
}

// Keywords about numbers.
import { createMultipleTest } from './decimal.ts'
import { type Keyword, NUMBER, POSITIVE_NUMBER } from './keyword.ts'
import type { Check } from './node.ts'
import type { Site } from './site.ts'

export const NUMBER_KEYWORDS: readonly Keyword[] = [
  bound('minimum', '>=', (value, limit) => value >= limit),
  bound('maximum', '<=', (value, limit) => value <= limit),
  bound('exclusiveMinimum', '>', (value, limit) => value > limit),
  bound('exclusiveMaximum', '<', (value, limit) => value < limit),
  { name: 'multipleOf', vocabulary: 'validation', takes: POSITIVE_NUMBER, compile: compileMultipleOf },
]

function bound(name: string, sign: string, fits: (value: number, limit: number) => boolean): Keyword {
  function compile(site: Site): Check {
    const limit = site.value as number
    const refuse = site.refuse(() => `expected a number ${sign} ${limit}`)
    return (value, run) => typeof value !== 'number' || fits(value, limit) || refuse(value, run)
  }
  return { name, vocabulary: 'validation', takes: NUMBER, compile }
}

function compileMultipleOf(site: Site): Check {
  const divisor = site.value as number
  const isMultiple = createMultipleTest(divisor)
  const refuse = site.refuse(() => `expected a multiple of ${divisor}`)
  return (value, run) => typeof value !== 'number' || isMultiple(value, run) || refuse(value, run)
}

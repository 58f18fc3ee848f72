// Keywords about numbers.

import type { KeywordCheck, KeywordChecks, Site } from '../engine/keyword.ts'
import type { Check } from '../engine/node.ts'
import type { Meter } from '../engine/steps.ts'

interface Decimal {
  /** Rounded where it is no safe integer. */
  digits: number
  text: string
  exponent: number
}

const POWERS_OF_TEN = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]

/** Most numbers are divided as integers; far apart or with many digits, as large as they are. */
const SHORT_DIVISION = 60
const LONG_DIVISION = 600

/** Tells whether a number is an integer times `divisor`, both taken as the decimals that they print as. */
export function createMultipleTest(divisor: number): (value: number, meter: Meter) => boolean {
  const b = toDecimal(divisor)
  return (value, meter) => {
    if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
    if (!Number.isFinite(value)) return false
    meter.spend(SHORT_DIVISION)
    const a = toDecimal(value)
    const exponent = Math.min(a.exponent, b.exponent)
    // What is no safe integer was rounded, or would be by more than that power.
    const scaledA = a.digits * (POWERS_OF_TEN[a.exponent - exponent] ?? Number.NaN)
    const scaledB = b.digits * (POWERS_OF_TEN[b.exponent - exponent] ?? Number.NaN)
    if (Number.isSafeInteger(scaledA) && Number.isSafeInteger(scaledB)) return scaledA % scaledB === 0
    meter.spend(LONG_DIVISION)
    return scale(a, exponent) % scale(b, exponent) === 0n
  }
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', power = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const text = whole + fraction
  return { digits: Number(text), text, exponent: Number(power) - fraction.length }
}

function scale({ text, exponent }: Decimal, to: number): bigint {
  return BigInt(text) * 10n ** BigInt(exponent - to)
}

export const NUMBER_CHECKS: KeywordChecks = {
  minimum: bound('>=', (value, limit) => value >= limit),
  maximum: bound('<=', (value, limit) => value <= limit),
  exclusiveMinimum: bound('>', (value, limit) => value > limit),
  exclusiveMaximum: bound('<', (value, limit) => value < limit),
  multipleOf: { compile: compileMultipleOf },
}

function bound(sign: string, fits: (value: number, limit: number) => boolean): KeywordCheck {
  function compile(site: Site): Check {
    const limit = site.value as number
    const reject = site.reject(() => `expected a number ${sign} ${limit}`)
    return (value, run) => typeof value !== 'number' || fits(value, limit) || reject(value, run)
  }
  return { compile }
}

function compileMultipleOf(site: Site): Check {
  const divisor = site.value as number
  const isMultiple = createMultipleTest(divisor)
  const reject = site.reject(() => `expected a multiple of ${divisor}`)
  return (value, run) => typeof value !== 'number' || isMultiple(value, run) || reject(value, run)
}

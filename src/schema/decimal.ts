// Exact division of numbers as they are written. Binary fractions would make 0.3 no multiple of 0.1.

interface Decimal {
  digits: bigint
  exponent: number
}

/** Whether `value` is an integer times `divisor`, both taken as the decimals that they print as. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  if (!Number.isFinite(value)) return false
  const a = toDecimal(value)
  const b = toDecimal(divisor)
  const exponent = Math.min(a.exponent, b.exponent)
  return scale(a, exponent) % scale(b, exponent) === 0n
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', power = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}

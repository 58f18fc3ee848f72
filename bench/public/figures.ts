// Medians with their spread, and how they are printed.

export interface Spread {
  readonly name: string
  /** The median, in the unit of the row. */
  readonly micros: number
  /** As a multiple of the first contender of the same turn: the median over all turns, the lower and the upper quartile. */
  readonly ratio: number
  readonly low: number
  readonly high: number
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** `samples` by contender and turn. */
export function ratiosOf(contenders: readonly string[], samples: readonly (readonly number[])[]): Spread[] {
  const base = samples[0] ?? []
  return contenders.map((name, index) => {
    const own = samples[index] ?? []
    const ratios = own.map((value, turn) => value / (base[turn] ?? Number.NaN))
    return {
      name,
      micros: median(own),
      ratio: median(ratios),
      low: quantile(ratios, 0.25),
      high: quantile(ratios, 0.75),
    }
  })
}

/** As `ratiosOf`, for what each contender takes beyond the first one. */
export function ratiosBeyondFirst(contenders: readonly string[], samples: readonly (readonly number[])[]): Spread[] {
  const [base = [], ...others] = samples
  const beyond = others.map((values) => values.map((value, turn) => value - (base[turn] ?? Number.NaN)))
  return ratiosOf(contenders.slice(1), beyond)
}

/** A row of the published table. */
export interface Row {
  readonly title: string
  /** What the figures are: `×` of the floor, or a unit. */
  readonly unit: '×' | 'KB'
  readonly goal?: number
  /** Which of `figures` the goal is about. */
  readonly ours: string
  readonly figures: readonly Spread[]
}

export function printRow({ title, unit, goal, ours, figures }: Row): void {
  console.log(`\n${title}`)
  for (const { name, micros, ratio, low, high } of figures) {
    const spread = `(${low.toFixed(2)}–${high.toFixed(2)})`
    const figure =
      unit === 'KB' ? `${micros.toFixed(1)} KB` : `${timeOf(micros).padStart(10)}  × ${ratio.toFixed(2)} ${spread}`
    const isGoal = name === ours && goal !== undefined
    const value = unit === 'KB' ? micros : ratio
    const verdict = isGoal ? `  ${value <= goal ? 'holds' : 'MISSES'}: at most ${goal}` : ''
    console.log(`  ${name.padEnd(44)} ${figure}${verdict}`)
  }
}

function timeOf(micros: number): string {
  return micros < 10_000 ? `${micros.toFixed(micros < 10 ? 2 : 1)} µs` : `${(micros / 1000).toFixed(1)} ms`
}

// Measures ratios on a busy machine: the contenders alternate in short slices of CPU time, and medians are compared.

export interface Contender {
  name: string
  /** One unit of work. May be asynchronous; then it is awaited. */
  run: () => unknown
}

export interface Measured {
  name: string
  /** Nanoseconds of CPU time per run, the median over all rounds. */
  nanoseconds: number
}

export interface MeasureOptions {
  rounds?: number
  sliceMs?: number
  /** CPU time that each contender runs before it is measured, so that the code of a long path is compiled too (default: none). */
  warmUpMs?: number
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function slice(contender: Contender, runs: number): Promise<number> {
  const started = cpuMicros()
  for (let i = 0; i < runs; i++) {
    const outcome = contender.run()
    if (outcome instanceof Promise) await outcome
  }
  return ((cpuMicros() - started) * 1000) / runs
}

async function warmUp(contender: Contender, ms: number): Promise<void> {
  const endsAt = cpuMicros() + ms * 1000
  while (cpuMicros() < endsAt) await slice(contender, 16)
}

async function calibrate(contender: Contender, sliceMs: number): Promise<number> {
  let runs = 16
  for (;;) {
    const nanoseconds = await slice(contender, runs)
    if (nanoseconds * runs > sliceMs * 1e6 || runs > 1e8) return runs
    runs *= 2
  }
}

export async function measure(contenders: Contender[], options: MeasureOptions = {}): Promise<Measured[]> {
  const { rounds = 21, sliceMs = 20, warmUpMs = 0 } = options
  for (const contender of contenders) await warmUp(contender, warmUpMs)
  const runs: number[] = []
  for (const contender of contenders) runs.push(await calibrate(contender, sliceMs))
  const samples: number[][] = contenders.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) samples[index]!.push(await slice(contender, runs[index]!))
  }
  return contenders.map(({ name }, index) => {
    const sorted = samples[index]!.sort((a, b) => a - b)
    return { name, nanoseconds: sorted[sorted.length >> 1]! }
  })
}

/** Prints each contender as a multiple of the first. */
export function report(title: string, measured: Measured[]): void {
  console.log(`\n${title}`)
  const base = measured[0]!.nanoseconds
  for (const { name, nanoseconds } of measured) {
    const time = nanoseconds < 10_000 ? `${nanoseconds.toFixed(0)} ns` : `${(nanoseconds / 1000).toFixed(1)} µs`
    console.log(`  ${name.padEnd(52)} ${time.padStart(12)}  × ${(nanoseconds / base).toFixed(2)}`)
  }
}

/** Prints a goal and the measured value. */
export function goal(text: string, ratio: number, atMost: number): void {
  console.log(`  ${ratio <= atMost ? 'holds ' : 'MISSES'}  ${text}: ${ratio.toFixed(2)} (at most ${atMost})`)
}

// Processes under test: each says how much CPU time it took, and the contenders of a row take turns, so that other load on the machine
// meets them alike.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ratiosBeyondFirst, ratiosOf, type Spread } from './figures.ts'
import { type Pace, turnsIn } from './pace.ts'

const folder = new URL('../../bench/public/', import.meta.url)
export const programPath = (name: string) => fileURLToPath(new URL(name, folder))

/** A process that does the work of one contender of a scenario, as often as it is told. */
export class Worker {
  readonly #child: ChildProcess
  readonly #ready: Promise<unknown>
  readonly #failed: Promise<never>

  constructor(scenario: string, contender: string) {
    this.#child = fork(programPath('worker.js'), [scenario, contender], {
      execArgv: ['--expose-gc'],
      env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: undefined },
    })
    this.#failed = failed(this.#child, `${scenario}, ${contender}`)
    // One that is closed fails, and nobody waits for it then.
    this.#failed.catch(() => {})
    this.#ready = Promise.race([once(this.#child, 'message'), this.#failed])
  }

  /** Microseconds of CPU time per run. */
  async run(count: number, maxMicros = Number.MAX_SAFE_INTEGER): Promise<number> {
    await this.#ready
    const told = once(this.#child, 'message')
    this.#child.send({ count, maxMicros })
    const [{ micros, runs }] = (await Promise.race([told, this.#failed])) as [Turn]
    return micros / runs
  }

  close(): void {
    this.#child.kill()
  }
}

interface Turn {
  readonly micros: number
  readonly runs: number
}

export async function failed(child: ChildProcess, name: string): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`The process of ${name} ended with code ${code}`)
}

/** The CPU time of each contender as a multiple of that of the first, and microseconds of it per run, in fresh processes. */
export async function compareFresh(
  scenario: string,
  contenders: readonly string[],
  pace: Pick<Pace, 'rounds' | 'runs' | 'rowMs'>,
): Promise<Spread[]> {
  const samples: number[][] = contenders.map(() => [])
  for (const _turn of turnsIn(pace)) {
    for (const [index, contender] of contenders.entries()) {
      const worker = new Worker(scenario, contender)
      samples[index]?.push(await worker.run(pace.runs))
      worker.close()
    }
  }
  return ratiosOf(contenders, samples)
}

/** As `compareFresh`, in processes that are warm. */
export async function compareWorkers(
  scenario: string,
  contenders: readonly string[],
  pace: Pace,
  /** Whether the first contender is what all others have in common, which does not count. */
  isBeyondFirst = false,
): Promise<Spread[]> {
  const samples: number[][] = contenders.map(() => [])
  const workers = contenders.map((contender) => new Worker(scenario, contender))
  for (const worker of workers) await worker.run(pace.warmUp, pace.warmUpMicros)
  for (const _turn of turnsIn(pace)) {
    for (const [index, worker] of workers.entries()) {
      samples[index]?.push(await worker.run(pace.runs, pace.turnMicros))
    }
  }
  for (const worker of workers) worker.close()
  return (isBeyondFirst ? ratiosBeyondFirst : ratiosOf)(contenders, samples)
}

// Processes under test: each says how much CPU time it took, and the contenders of a row take turns, so that other load on the machine
// meets them alike.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ratiosBeyondFirst, ratiosOf, type Spread } from './figures.ts'

const folder = new URL('../../bench/public/', import.meta.url)
export const programPath = (name: string) => fileURLToPath(new URL(name, folder))

/** A process that does the work of one contender of a scenario, as often as it is told. */
export class Worker {
  readonly #child: ChildProcess
  readonly #ready: Promise<unknown>

  constructor(scenario: string, contender: string, nodePath = process.execPath) {
    this.#child = fork(programPath('worker.js'), [scenario, contender], {
      execPath: nodePath,
      execArgv: ['--expose-gc'],
      env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: undefined },
    })
    this.#ready = Promise.race([once(this.#child, 'message'), failed(this.#child, `${scenario}, ${contender}`)])
  }

  /** Microseconds of CPU time per run. */
  async run(count: number): Promise<number> {
    await this.#ready
    const told = once(this.#child, 'message')
    this.#child.send(count)
    const [micros] = await Promise.race([told, failed(this.#child, 'a worker')])
    return (micros as number) / count
  }

  close(): void {
    this.#child.removeAllListeners('exit')
    this.#child.kill()
  }
}

export async function failed(child: ChildProcess, name: string): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`The process of ${name} ended with code ${code}`)
}

export interface Turns {
  /** Turns that count. */
  readonly rounds: number
  /** Runs of one turn. */
  readonly runs: number
  /** Runs before the first turn that counts; a fresh process for each turn where it is `undefined`. */
  readonly warmUp?: number
  readonly nodePath?: string
  /** Whether the first contender is what all others have in common, which does not count. */
  readonly isBeyondFirst?: boolean
}

/** The CPU time of each contender as a multiple of that of the first, and microseconds of it per run. */
export async function compareWorkers(
  scenario: string,
  contenders: readonly string[],
  { rounds, runs, warmUp, nodePath, isBeyondFirst = false }: Turns,
): Promise<Spread[]> {
  const compare = isBeyondFirst ? ratiosBeyondFirst : ratiosOf
  const samples: number[][] = contenders.map(() => [])
  if (warmUp === undefined) {
    for (let round = 0; round < rounds; round++) {
      for (const [index, contender] of contenders.entries()) {
        const worker = new Worker(scenario, contender, nodePath)
        samples[index]?.push(await worker.run(runs))
        worker.close()
      }
    }
    return compare(contenders, samples)
  }
  const workers = contenders.map((contender) => new Worker(scenario, contender, nodePath))
  for (const worker of workers) await worker.run(warmUp)
  for (let round = 0; round < rounds; round++) {
    for (const [index, worker] of workers.entries()) samples[index]?.push(await worker.run(runs))
  }
  for (const worker of workers) worker.close()
  return compare(contenders, samples)
}

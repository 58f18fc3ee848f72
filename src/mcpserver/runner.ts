// Who runs the servers of a program: the program itself, or the command line that has loaded it.
import type { RunOptions } from './run.ts'

/** Gets the server, what the program asked for, and `run`, which does what it is told. */
export type Runner = (
  server: object,
  asked: RunOptions,
  run: (options: RunOptions) => Promise<unknown>,
) => Promise<unknown>

/** The command line and the program may have loaded two copies of this package. */
const RUNNER = Symbol.for('mcpwire.runner')

const place = globalThis as { [RUNNER]?: Runner }

export function findRunner(): Runner | undefined {
  return place[RUNNER]
}

/** From now on `run()` of every server in this process goes through it. */
export function installRunner(runner: Runner | undefined): void {
  if (runner === undefined) delete place[RUNNER]
  else place[RUNNER] = runner
}

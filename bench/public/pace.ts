// How long a row is measured: so many turns, each of so many runs, after so many runs that do not count; and never longer than its
// share of the time, however slow a contender or a busy machine is.

export interface Pace {
  /** Turns that count. */
  readonly rounds: number
  /** Runs of one turn. */
  readonly runs: number
  /** Runs before the first turn that counts. */
  readonly warmUp: number
  /** CPU time after which a contender is warm, however few its runs were. */
  readonly warmUpMicros: number
  /** CPU time after which a turn is over. */
  readonly turnMicros: number
  /** Time after which no further turn begins. */
  readonly rowMs: number
}

/** Turns of every row, also of one that is out of time. */
const MIN_ROUNDS = 3

const QUICK = { warmUpMicros: 1_200_000, turnMicros: 50_000, rowMs: 3_000 }
const FULL = { warmUpMicros: 2_000_000, turnMicros: 200_000, rowMs: 40_000 }

/** A quick run warms up for as many runs as a full one, so that it measures the same thing, and takes fewer and shorter turns. */
export function paceOf(
  isQuick: boolean,
  { rounds, runs, warmUp }: Pick<Pace, 'rounds' | 'runs' | 'warmUp'>,
  quickRounds = MIN_ROUNDS,
): Pace {
  return isQuick
    ? { rounds: quickRounds, runs: Math.ceil(runs / 2), warmUp, ...QUICK }
    : { rounds, runs, warmUp, ...FULL }
}

/** One for each turn, while there is time. */
export function* turnsIn({ rounds, rowMs }: Pick<Pace, 'rounds' | 'rowMs'>): Generator<number> {
  const startedAt = performance.now()
  for (let round = 0; round < rounds; round++) {
    if (round >= MIN_ROUNDS && performance.now() - startedAt > rowMs) return
    yield round
  }
}

/** On a machine that is very busy, so many times the time of a row pass before a contender counts as warm all the same. */
const WARM_UP_PATIENCE = 10

/** Repeats `turn`, which says what CPU time it took, until the contender is warm. */
export async function warmUpBy(
  { warmUp, warmUpMicros, rowMs }: Pick<Pace, 'warmUp' | 'warmUpMicros' | 'rowMs'>,
  runs: number,
  turn: () => Promise<number>,
): Promise<void> {
  const until = performance.now() + WARM_UP_PATIENCE * rowMs
  let spent = 0
  for (let done = 0; done < warmUp && spent < warmUpMicros && performance.now() < until; done += runs) {
    spent += await turn()
  }
}

// How the cost of a call, an update or a question grows with what a server has. The figure is that of the largest size beside the
// smallest one; the others are in the same row.
import { paceOf } from './pace.ts'
import { compareWorkers } from './processes.ts'
import { compareQuestionCounts, MANY_QUESTIONS } from './questions.ts'
import type { PlannedRow } from './rows.ts'

const warm = (isQuick: boolean) => paceOf(isQuick, { rounds: 15, runs: 1_000, warmUp: 20_000 })

const growth = (title: string, sizes: readonly string[], scenario = 'growth', goal?: number): PlannedRow => ({
  title: `growth: ${title}`,
  unit: '×',
  ...(goal !== undefined && { goal }),
  ours: sizes.at(-1) ?? '',
  measure: (isQuick) => compareWorkers(scenario, sizes, warm(isQuick)),
})

/** In a quick run fewer are opened: opening them takes longer than the updates. */
const updates = (what: 'subscriptions' | 'sessions'): PlannedRow => ({
  title: `growth: an update that nobody watches, many ${what} (9,000; 1,000 in a quick run) beside 10`,
  unit: '×',
  goal: 1.5,
  ours: 'many',
  measure: async (isQuick) => {
    const sizes = [`10 ${what}`, isQuick ? `1,000 ${what}` : `9,000 ${what}`]
    const figures = await compareWorkers('updates', sizes, warm(isQuick))
    return figures.map((figure, index) => (index === 0 ? figure : { ...figure, name: 'many' }))
  },
})

export const GROWTH_ROWS: readonly PlannedRow[] = [
  growth('a call, by the tools of its server', ['10 tools', '100 tools', '1,000 tools', '5,000 tools']),
  growth('a call, by layers of middleware', [
    '0 layers of middleware',
    '10 layers of middleware',
    '50 layers of middleware',
  ]),
  growth('a call, by the calls under way', ['1 at once', '16 at once', '256 at once']),
  growth('10 KB of arguments, by the size of one call', [
    '10 KB of arguments',
    '100 KB of arguments',
    '1,000 KB of arguments',
  ]),
  {
    title: 'growth: a question, by the questions of its call',
    unit: '×',
    ours: '100 questions',
    measure: (isQuick) => compareQuestionCounts([1, 10, 100], paceOf(isQuick, MANY_QUESTIONS)),
  },
  updates('subscriptions'),
  updates('sessions'),
]

// Calls in process, questions, telemetry, and the typical server.
import { paceOf } from './pace.ts'
import { compareFresh, compareWorkers } from './processes.ts'
import { compareManyQuestions, compareQuestions, MANY_QUESTIONS, QUESTIONS } from './questions.ts'
import type { PlannedRow } from './rows.ts'
import { compareTypical } from './typical.ts'

const MODERN = ['floor', 'mcpwire', 'official v2, legacy', 'official v1, legacy']
const LEGACY = ['floor, legacy', 'mcpwire, legacy', 'official v2, legacy', 'official v1, legacy']

const cold = (isQuick: boolean) => ({ ...paceOf(isQuick, { rounds: 21, runs: 1_000, warmUp: 0 }), runs: 1_000 })
const warm = (isQuick: boolean) => paceOf(isQuick, { rounds: 21, runs: 2_000, warmUp: 30_000 }, 5)

export const PROCESS_ROWS: readonly PlannedRow[] = [
  {
    title: 'in process: the first 1,000 calls, zod input and output',
    unit: '×',
    goal: 2.4,
    ours: 'mcpwire',
    measure: (isQuick) => compareFresh('calls', MODERN, cold(isQuick)),
  },
  {
    title: 'in process: calls when warm, modern',
    unit: '×',
    goal: 1.4,
    ours: 'mcpwire',
    measure: (isQuick) => compareWorkers('calls', MODERN, warm(isQuick)),
  },
  {
    title: 'in process: calls when warm, legacy',
    unit: '×',
    goal: 1.9,
    ours: 'mcpwire, legacy',
    measure: (isQuick) => compareWorkers('calls', LEGACY, warm(isQuick)),
  },
  {
    title: 'questions: one in a call, modern beside legacy',
    unit: '×',
    goal: 1.2,
    ours: 'modern',
    measure: (isQuick) => compareQuestions(paceOf(isQuick, QUESTIONS)),
  },
  {
    title: 'questions: 100 in a call beside one, for each',
    unit: '×',
    goal: 1.5,
    ours: '100 questions',
    measure: (isQuick) => compareManyQuestions(paceOf(isQuick, MANY_QUESTIONS)),
  },
  {
    title: 'telemetry: what it adds to a call, beside the same spans by hand',
    unit: '×',
    goal: 1.3,
    ours: 'mcpwire',
    measure: (isQuick) => compareWorkers('telemetry', ['none', 'by hand', 'mcpwire'], warm(isQuick), true),
  },
  {
    title:
      'typical server: 50 zod tools, JWT, telemetry, log lines, one call in ten asks; beside the tool over bare Node',
    unit: '×',
    goal: 3,
    ours: 'mcpwire',
    measure: (isQuick) => compareTypical(paceOf(isQuick, { rounds: 11, runs: 60, warmUp: 1_200 })),
  },
]

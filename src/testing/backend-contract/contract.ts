// The contract suite: every rule of the interfaces as one case, for any engine and any test runner.
import { generalCases } from './general-cases.ts'
import { limitCases } from './limit-cases.ts'
import { logCases } from './log-cases.ts'
import { recordCases } from './record-cases.ts'
import { taskCases } from './task-cases.ts'
import { topicCases } from './topic-cases.ts'
import { type BackendUnderTest, Case } from './under-test.ts'

/** The parts of a backend that the suite tests. */
export type ContractPart = 'general' | 'records' | 'logs' | 'topics' | 'limits' | 'tasks'

/** Each rule, in words, with what shows it. */
export type ContractCases = Readonly<Record<string, (of: Case) => Promise<void> | void>>

/** Of a test runner: `vitest`, `node:test`, or any other with these two. */
export interface ContractRunner {
  /** Groups tests. `describe` of Vitest, Jest or `node:test`. */
  describe(name: string, body: () => void): unknown
  /** Declares a test. `test` of Vitest, Jest or `node:test`. */
  test(name: string, body: () => Promise<void>): unknown
  /** The parts to be tested (default: all; leave `tasks` out where the engine keeps none). */
  readonly parts?: readonly ContractPart[]
}

export const CONTRACT: Readonly<Record<ContractPart, ContractCases>> = {
  general: generalCases,
  records: recordCases,
  logs: logCases,
  topics: topicCases,
  limits: limitCases,
  tasks: taskCases,
}

/** Declares all cases with the given test runner. `make` is called for each of them. */
export function backendContract(
  make: () => BackendUnderTest | Promise<BackendUnderTest>,
  { describe, test, parts = Object.keys(CONTRACT) as ContractPart[] }: ContractRunner,
): void {
  for (const part of parts) {
    describe(part, () => {
      for (const [name, run] of Object.entries(CONTRACT[part])) test(name, () => runCase(make, run))
    })
  }
}

async function runCase(
  make: () => BackendUnderTest | Promise<BackendUnderTest>,
  run: (of: Case) => Promise<void> | void,
): Promise<void> {
  const under = await make()
  const other = (await under.another?.()) ?? under.backend
  try {
    await under.backend.open()
    await other.open()
    await run(new Case(under, other))
  } finally {
    await other.close()
    await under.backend.close()
    await under.close?.()
  }
}

// Programs that a machine may have or not: their tests run where they are, and say that they do not elsewhere.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** `node22`: for what Node 20 does not have, such as `node:sqlite`. The other Nodes are there for the full tests. */
export type Runtime = 'bun' | 'deno' | 'node20' | 'node2215' | 'node22' | 'node24' | 'node26' | 'workerd'

const index = new URL('../../.cache/runtimes/installed.json', import.meta.url)

/** `describe` for a runtime that scripts/install-runtimes.js installs. */
export function describeOn(runtime: Runtime, tests: (program: string) => void): void {
  describeProgram(runtime, findRuntime(runtime), 'node scripts/install-runtimes.js installs it where it can', tests)
}

/** `describe`, but without the program it skips with a notice that says how to get it. */
export function describeProgram(
  title: string,
  program: string | undefined,
  remedy: string,
  tests: (program: string) => void,
): void {
  if (program !== undefined) return void describe(title, () => tests(program))
  const notice = `skipped: ${title} is not here; ${remedy}`
  console.warn(notice)
  describe.skipIf(true)(title, () => it(notice, () => expect.fail(notice)))
}

export function findRuntime(runtime: Runtime): string | undefined {
  if (!existsSync(index)) return undefined
  const programs: Partial<Record<Runtime, string>> = JSON.parse(readFileSync(index, 'utf8'))
  const program = programs[runtime]
  return program !== undefined && existsSync(program) ? program : undefined
}

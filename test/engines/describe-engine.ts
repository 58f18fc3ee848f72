// Tests that need an engine, and what the run says where there is none.
import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NOT_TESTED } from './not-tested.ts'
import { type EngineName, findEngine, missingEngine } from './programs.ts'

/**
 * `describe`, for tests that need these engines. Where one is missing they are skipped, which the end of the run says in one line;
 * with REQUIRE_ENGINES=1 they fail.
 */
export function describeEngine(names: EngineName | readonly EngineName[], title: string, tests: () => void): void {
  const missing = [names].flat().filter((name) => findEngine(name) === undefined)
  if (missing.length === 0) return void describe(title, tests)
  const notice = `not tested here: ${missing.map(missingEngine).join(', ')}`
  if (process.env['REQUIRE_ENGINES'] === '1') {
    it(title, () => expect.fail(`${notice}. Run npm run engines.`))
    return
  }
  const file = process.env[NOT_TESTED]
  if (file !== undefined) for (const name of missing) appendFileSync(file, `${missingEngine(name)}\n`)
  describe.skipIf(true)(title, () => it(notice, () => expect.fail(notice)))
}

/** An engine for the tests of one `describe`: started before the first of them, closed after the last. */
export function useEngine<E extends { close(): Promise<void> }>(start: () => Promise<E>): () => E {
  let engine: E | undefined
  beforeAll(async () => {
    engine = await start()
  })
  afterAll(async () => {
    await engine?.close()
  })
  return () => {
    if (engine === undefined) throw new Error('the engine starts before the tests, not before their description')
    return engine
  }
}

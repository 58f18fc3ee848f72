// The cost of what nodes share, by engine, in CPU time of the process that uses it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Backend } from '../src/backend/backend.ts'
import { memory } from '../src/backend/memory/memory.ts'
import { sqlite } from '../src/sqlite/sqlite.ts'
import { measureOperations, measureTasks } from './backend/operations.ts'
import { goal } from './measure.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcpwire-bench-'))
const engines: Readonly<Record<string, () => Backend>> = {
  memory: () => memory(),
  'SQLite, synchronous normal': () => sqlite(join(folder, 'normal.db')),
  'SQLite, synchronous full': () => sqlite(join(folder, 'full.db'), { synchronous: 'full', timeoutMs: 60_000 }),
}
/** Microseconds for a task: created, claimed and finished, with 32 in flight. */
const GOALS: Readonly<Record<string, number>> = { 'SQLite, synchronous normal': 60 }

const wanted = process.argv.slice(2)
for (const [name, make] of Object.entries(engines)) {
  if (wanted.length > 0 && !wanted.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue
  const backend = make()
  await backend.open()
  await measureOperations(name, backend)
  for (const inFlight of [1, 32]) {
    const micros = await measureTasks(backend, inFlight)
    console.log(
      `  ${`a task: create, claim, finish; ${inFlight} in flight`.padEnd(52)} ${micros.toFixed(1).padStart(9)} µs`,
    )
    const most = inFlight === 32 ? GOALS[name] : undefined
    if (most !== undefined) goal(`${name}: µs for a task`, micros, most)
  }
  await backend.close()
}
rmSync(folder, { recursive: true })

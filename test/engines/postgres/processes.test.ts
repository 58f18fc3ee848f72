// Several processes on one Postgres: nothing is lost, and nothing is done twice.
import { expect, it, onTestFinished } from 'vitest'
import { postgres } from '../../../src/postgres/postgres.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { expectShared } from '../many-processes.ts'
import * as clients from './clients.ts'

const PROCESSES = 2
const TTL = 3_600_000

describeEngine('Postgres', 'processes on one Postgres', () => {
  const database = useEngine(clients.freshDatabase)

  it(`${PROCESSES} of them at once: no write is lost, no number or token given twice, no task run twice`, async () => {
    const options = { ...clients.PATIENT, namespace: clients.freshNamespace() }
    const backend = postgres(database().url, options)
    onTestFinished(() => backend.close())
    await expectShared('postgres', PROCESSES, backend, {
      imports: "import { postgres } from './src/postgres/postgres.ts'",
      expression: `postgres(${JSON.stringify(database().url)}, ${JSON.stringify(options)})`,
    })
    expect(await backend.records.put('after', 'x', { ttlMs: TTL })).toBeDefined()
  })
})

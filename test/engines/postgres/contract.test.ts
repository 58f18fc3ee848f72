// The backend on Postgres keeps the contract, with every library that it takes.
import { describe, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { type PostgresOptions, postgres } from '../../../src/postgres/postgres.ts'
import { backendContract } from '../../../src/testing/backend-contract/contract.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { FaultyProxy } from '../faulty-proxy.ts'
import { describeInFull } from '../full.ts'
import * as clients from './clients.ts'

function contractBy(make: (options: PostgresOptions) => Backend): void {
  backendContract(
    () => {
      const options = { namespace: clients.freshNamespace(), ...clients.PATIENT }
      return { backend: make(options), another: () => make(options) }
    },
    { describe, test },
  )
}

describeEngine('Postgres', 'mcpwire/postgres', () => {
  const database = useEngine(clients.freshDatabase)

  describe('by a URL, with pg', () => contractBy((options) => postgres(database().url, options)))
  describeInFull('by an sql of postgres', () => {
    const pool = useEngine(() => clients.postgresJsPool(database()))
    contractBy((options) => pool().backend(options))
  })
  describeInFull('by a URL, with postgres', () => contractBy((options) => clients.withoutPg(database().url, options)))
  describeInFull('by a Pool of pg', () => {
    const pool = useEngine(() => clients.pgPool(database()))
    contractBy((options) => pool().backend(options))
  })
})

describeEngine('Postgres', 'mcpwire/postgres, sealed', () => {
  const database = useEngine(clients.freshDatabase)
  describeInFull('by a URL', () => {
    backendContract(
      () => {
        const options = { namespace: clients.freshNamespace(), ...clients.PATIENT, seal: ['s'.repeat(32)] }
        const another = () => postgres(database().url, options)
        // What is sealed takes a third more.
        return { backend: another(), another, maxValueBytes: 700_000 }
      },
      { describe, test },
    )
  })
})

describeEngine('Postgres', 'mcpwire/postgres behind a network that cuts', () => {
  const database = useEngine(clients.freshDatabase)
  for (const [library, make] of Object.entries({ pg: postgres, postgres: clients.withoutPg })) {
    describeInFull(`with ${library}`, () => {
      backendContract(
        async () => {
          const proxy = await new FaultyProxy({ path: clients.socketOf(database().host) }, clients.SOCKET).start()
          const options = { namespace: clients.freshNamespace(), ...clients.PATIENT }
          // Not while it connects, which `open` reports.
          proxy.cutEvery(3, new RegExp(options.namespace))
          const url = `postgres://postgres@localhost/${database().database}?host=${encodeURIComponent(proxy.folder)}`
          const another = () => make(url, options)
          return { backend: another(), another, close: () => proxy.close() }
        },
        { describe, test, parts: ['records', 'logs', 'limits', 'tasks'] },
      )
    })
  }
})

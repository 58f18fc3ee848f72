// Random histories of three clients of one Postgres, against models.

import { postgres } from '../../../src/postgres/postgres.ts'
import { volume } from '../../support/volume.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { describeModels } from '../models/describe-models.ts'
import * as clients from './clients.ts'

describeEngine('Postgres', 'mcpwire/postgres', () => {
  const database = useEngine(clients.freshDatabase)
  const make = async () => {
    const pool = await clients.pgPool(database())
    const namespace = clients.freshNamespace()
    const another = () => postgres(database().url, { namespace, ...clients.PATIENT, maxConnections: 3 })
    return { backend: pool.backend({ namespace }), another, close: () => pool.close() }
  }
  describeModels('Postgres', make, { runs: volume(20, 300) })
})

// The model tests on what needs no engine: memory, sealed too, and SQLite.
import Database from 'libsql'
import { memory } from '../../../src/backend/memory/memory.ts'
import { sealed } from '../../../src/backend/sealed/sealed.ts'
import type { SQLiteDatabase } from '../../../src/sqlite/engine/database.ts'
import { SQLiteBackend } from '../../../src/sqlite/sqlite.ts'
import { describeModels } from '../../engines/models/describe-models.ts'
import { volume } from '../../support/volume.ts'

describeModels('memory', () => ({ backend: memory() }))

describeModels('memory, sealed', () => ({ backend: sealed(memory(), ['a secret of more than thirty-two bytes']) }))

describeModels(
  'SQLite',
  () => {
    const database: SQLiteDatabase = new Database(':memory:')
    const another = () => new SQLiteBackend(database, {})
    return { backend: another(), another, close: () => void database.close() }
  },
  { runs: volume(15, 300) },
)

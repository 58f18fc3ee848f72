// Random histories of three clients of one SQLite file, against models.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQLiteBackend } from '../../../src/sqlite/sqlite.ts'
import { describeModels } from '../../engines/models/describe-models.ts'

describeModels('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
  const another = () => new SQLiteBackend(join(folder, 'state.db'), { timeoutMs: 60_000 })
  return { backend: another(), another, close: () => rmSync(folder, { recursive: true }) }
})

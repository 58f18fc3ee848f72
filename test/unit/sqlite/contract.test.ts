// The contract suite on SQLite: two connections to one file, the same sealed, and two backends on one connection of the user.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, test } from 'vitest'
import { sealed } from '../../../src/exports/backend.ts'
import { backendContract } from '../../../src/exports/testing/backend.ts'
import type { SQLiteDatabase } from '../../../src/sqlite/engine/database.ts'
import { SQLiteBackend } from '../../../src/sqlite/sqlite.ts'

function movedClock() {
  let now = Date.now()
  const advance = (ms: number) => {
    now += ms
  }
  return { now: () => now, advance }
}

describe('SQLite, two connections to one file', () => {
  const make = () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
    const { now, advance } = movedClock()
    const another = () => new SQLiteBackend(join(folder, 'state.db'), {}, now)
    return { backend: another(), another, advance, close: () => rmSync(folder, { recursive: true }) }
  }
  backendContract(make, { describe, test })
})

describe('SQLite, sealed', () => {
  const make = () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
    const { now, advance } = movedClock()
    const another = () => sealed(new SQLiteBackend(join(folder, 'state.db'), {}, now), ['s'.repeat(32)])
    // What is sealed takes a third more.
    const maxValueBytes = 700_000
    return { backend: another(), another, advance, maxValueBytes, close: () => rmSync(folder, { recursive: true }) }
  }
  backendContract(make, { describe, test })
})

describe('SQLite, two backends on one connection in memory', () => {
  const make = () => {
    const database: SQLiteDatabase = new Database(':memory:')
    const { now, advance } = movedClock()
    const another = () => new SQLiteBackend(database, {}, now)
    return { backend: another(), another, advance, close: () => void database.close() }
  }
  backendContract(make, { describe, test })
})

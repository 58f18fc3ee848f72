// What is in a SQLite file, as text: tables, then rows, then indexes and triggers, so that no trigger fires.
import Database from 'libsql'

interface Made {
  readonly type: string
  readonly name: string
  readonly sql: string
}

export function dumpSqlite(file: string): string {
  const database = new Database(file)
  const made = database
    .prepare(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all() as Made[]
  const tables = made.filter(({ type }) => type === 'table')
  const rows = tables.flatMap(({ name }) => rowsOf(database, name))
  const others = made.filter(({ type }) => type !== 'table')
  database.close()
  return [...tables.map(({ sql }) => `${sql};`), ...rows, ...others.map(({ sql }) => `${sql};`), ''].join('\n')
}

function rowsOf(database: InstanceType<typeof Database>, table: string): string[] {
  const columns = (database.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[]).map(({ name }) => name)
  const quoted = columns.map((column) => `quote(${column})`).join(` || ', ' || `)
  const rows = database.prepare(`SELECT ${quoted} AS row FROM ${table}`).all() as { row: string }[]
  return rows.map(({ row }) => `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${row});`)
}

export function loadSqlite(file: string, text: string): void {
  const database = new Database(file)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(`BEGIN; ${text} COMMIT`)
  database.close()
}

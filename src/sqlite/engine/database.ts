// The libraries that speak to SQLite, by what they have in common, and the search for one of them.
import { BackendError } from '../../backend/backend-error.ts'
import { withHelp } from '../../primitives/help.ts'

/** What can be bound to a parameter of a statement. */
export type SQLiteValue = string | number | null

/** A prepared statement of `node:sqlite`, `libsql` or `better-sqlite3`. */
export interface SQLiteStatement {
  /** Runs the statement, without rows. */
  run(...values: SQLiteValue[]): unknown
  /** Runs the statement and returns its first row, or `undefined`. */
  get(...values: SQLiteValue[]): unknown
  /** Runs the statement and returns all rows. */
  all(...values: SQLiteValue[]): unknown[]
}

/** A connection of `node:sqlite`, `libsql` or `better-sqlite3`. */
export interface SQLiteDatabase {
  /** Runs statements that return nothing. */
  exec(sql: string): unknown
  /** Compiles a statement for repeated use. */
  prepare(sql: string): SQLiteStatement
  /** Closes the file. */
  close(): unknown
}

export type DatabaseClass = new (path: string) => SQLiteDatabase

/** Packages, in the order in which they are tried where Node has no `node:sqlite`. */
const PACKAGES = ['libsql', 'better-sqlite3']

/** What `findDatabaseClass` needs of its surroundings. */
export interface Libraries {
  builtin(): DatabaseClass | undefined
  load(name: string): Promise<unknown>
}

const INSTALLED: Libraries = {
  builtin: () =>
    (process.getBuiltinModule?.('node:sqlite') as { DatabaseSync?: DatabaseClass } | undefined)?.DatabaseSync,
  // By a variable, so that bundlers do not look for packages that are not installed.
  load: (name) => import(name),
}

/** Of the first library that is there. */
export async function findDatabaseClass(libraries: Libraries = INSTALLED): Promise<DatabaseClass> {
  return libraries.builtin() ?? (await findPackage(libraries))
}

const NUMBERED = /\?\d/
/** Whether a library takes `?1` for a name, as better-sqlite3 does. */
const namesNumbers = new WeakMap<SQLiteDatabase, boolean>()

/** The values of the statement are given in the order of its numbers, whichever library it is. */
export function prepare(database: SQLiteDatabase, sql: string): SQLiteStatement {
  const statement = database.prepare(sql)
  if (!NUMBERED.test(sql) || !takesNames(database)) return statement
  const byNumber = (values: SQLiteValue[]) =>
    Object.fromEntries(values.map((value, index) => [index + 1, value])) as never
  return {
    run: (...values) => statement.run(byNumber(values)),
    get: (...values) => statement.get(byNumber(values)),
    all: (...values) => statement.all(byNumber(values)),
  }
}

function takesNames(database: SQLiteDatabase): boolean {
  const known = namesNumbers.get(database)
  if (known !== undefined) return known
  const statement = database.prepare('SELECT ?1')
  let found = false
  try {
    statement.get(1)
  } catch {
    found = true
  }
  namesNumbers.set(database, found)
  return found
}

async function findPackage({ load }: Libraries): Promise<DatabaseClass> {
  let cause: unknown
  for (const name of PACKAGES) {
    try {
      const loaded = (await load(name)) as { default: DatabaseClass }
      return loaded.default
    } catch (error) {
      // One that is installed and broken says more than one that is not installed.
      if (!isNotInstalled(error, name)) cause = error
    }
  }
  const found = cause === undefined ? 'no package for SQLite is installed' : 'the package for SQLite does not load'
  const message = `This Node (${process.version}) has no node:sqlite, and ${found}. Run npm install libsql@0.5, or use Node 22.13 or later.`
  throw withHelp('package-missing', new BackendError(message, { kind: 'unavailable', operation: 'open', cause }))
}

function isNotInstalled(error: unknown, name: string): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${name}'`)
}

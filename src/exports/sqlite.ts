// mcpwire/sqlite: what the processes of one machine share, in an SQLite file.
export type { SQLiteDatabase, SQLiteStatement, SQLiteValue } from '../sqlite/engine/database.ts'
export { migrate, type SQLiteOptions, sqlite } from '../sqlite/sqlite.ts'

// Programs of the official SDK, each with what `mcpwire migrate` makes of it, and what to do with both.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
export const FIXTURES = join(root, 'test/fixtures/migrate')

type Arguments = Record<string, unknown>

/** What a fixture is used with; the answers before and after must be the same. */
export interface Use {
  /** A server over HTTP: the path of its endpoint. */
  readonly http?: string
  /** A server over HTTP+SSE: the path of its stream. */
  readonly sse?: string
  /** A client that is started with a server: of a file, or at a URL. Its output is compared. */
  readonly client?: true | 'http'
  readonly calls?: readonly (readonly [tool: string, args: Arguments])[]
  readonly reads?: readonly string[]
  readonly prompts?: readonly (readonly [name: string, args?: Record<string, string>])[]
  readonly completions?: readonly (readonly [ref: Arguments, argument: { name: string; value: string }])[]
  /** List the tools once more at the end. */
  readonly listAfter?: boolean
  /** How many call sites are marked; such a fixture does not run. */
  readonly marks?: number
  /** How many places with state of users are marked. */
  readonly checks?: number
}

export interface Fixture {
  readonly name: string
  readonly folder: string
  readonly use: Use
}

export const fixtures: readonly Fixture[] = readdirSync(FIXTURES)
  .filter((name) => existsSync(join(FIXTURES, name, 'fixture.json')))
  .map((name) => {
    const folder = join(FIXTURES, name)
    return { name, folder, use: JSON.parse(readFileSync(join(folder, 'fixture.json'), 'utf8')) as Use }
  })

/** The texts of all files in a folder by name. */
export function textsIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[cm]?[jt]s$/.test(name))
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** A copy of a folder, in a folder that git does not know. */
export function copyOf(folder: string): { folder: string; [Symbol.dispose](): void } {
  mkdirSync(join(root, 'build/fixtures'), { recursive: true })
  const copy = mkdtempSync(join(root, 'build/fixtures/migrate-'))
  cpSync(folder, copy, { recursive: true })
  return { folder: copy, [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }) }
}

/** The file of a fixture that is started. */
export function mainFile(folder: string): string {
  const name = readdirSync(folder).find((file) => /^(?:server|client)\.[cm]?[jt]s$/.test(file))
  if (name === undefined) throw new Error(`There is no program in ${folder}.`)
  return join(folder, name)
}

// The tables of mcpwire migrate: every name is one of the SDK, and what replaces it is one of this package.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findMissing } from '../../../test/docs/entry-points.ts'
import { CLASS_KINDS, METHOD_OF_SCHEMA, RENAMED, SAME_TYPES } from '../../migrate/source/sdk-names.ts'

const packages = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol', import.meta.url))

/** Every name that the declarations of v1 and v2 declare. */
const declared = new Set(
  ['sdk/dist/esm', 'server/dist', 'client/dist', 'node/dist'].flatMap((folder) =>
    readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.d\.m?ts$/.test(name))
      .flatMap((name) => {
        const text = readFileSync(join(packages, folder, name), 'utf8')
        return [...text.matchAll(/\b(?:class|interface|type|function|const|enum) (\w+)/g)].map(([, found]) => found)
      }),
  ),
)

describe('the tables of mcpwire migrate', () => {
  it.each([
    ['classes', [...CLASS_KINDS.keys()]],
    ['schemas of messages', [...METHOD_OF_SCHEMA.keys()]],
    ['types of the same name', [...SAME_TYPES]],
    ['names that are other here', [...RENAMED.keys()]],
  ])('%s are names of the SDK', (_, names) => {
    expect(names.filter((name) => !declared.has(name))).toEqual([])
  })

  it('what replaces them is exported where the table says', async () => {
    const places = [
      ...[...SAME_TYPES].map((path) => ({ entryPoint: 'mcpwire/types', path })),
      ...[...RENAMED.values()].map(({ name, from }) => ({ entryPoint: from, path: name })),
    ]
    expect(await findMissing(places)).toEqual([])
  })
})

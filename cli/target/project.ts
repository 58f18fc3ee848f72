// The server of a project folder: what its package.json says, or the file with a usual name.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { isPlainObject } from '../terminal/primitives.ts'

const USUAL_FILES = ['src/server.ts', 'server.ts', 'src/index.ts', 'src/server.js', 'server.js', 'src/index.js']

/** The path of the server file, with the name of an export where `mcpwire.server` has one. */
export function findProjectServer(folder: string): string {
  const named = readSetting(folder)
  if (named !== undefined) return resolve(folder, named)
  const found = USUAL_FILES.map((file) => join(folder, file)).find((file) => existsSync(file))
  if (found !== undefined) return found
  throw new Failure(
    `The folder ${folder} has no server file: there is none of ${USUAL_FILES.slice(0, 3).join(', ')}.`,
    {
      slug: 'bad-target',
      exitCode: EXIT.noConnection,
      hint: 'Name the file, or set "mcpwire": { "server": "<file>" } in package.json.',
    },
  )
}

/** The name in the nearest package.json above a file, without the scope; `undefined` where there is none. */
export function findProjectName(file: string): string | undefined {
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (existsSync(path)) {
      const { name } = parse(path)
      return typeof name === 'string' && name !== '' ? name.replace(/^@[^/]*\//, '') : undefined
    }
    if (folder === dirname(folder)) return undefined
  }
}

function readSetting(folder: string): string | undefined {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return undefined
  const settings = parse(path)['mcpwire']
  const server = isPlainObject(settings) ? settings['server'] : undefined
  return typeof server === 'string' && server !== '' ? server : undefined
}

function parse(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isPlainObject(value) ? value : {}
  } catch (cause) {
    throw new Failure(`${path} cannot be read: ${(cause as Error).message}`, {
      slug: 'file-cannot-load',
      exitCode: EXIT.noConnection,
      hint: 'Correct the file.',
      cause,
    })
  }
}

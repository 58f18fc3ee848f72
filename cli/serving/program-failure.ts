// What a program of the user threw, with the place in that program.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { BackendError } from 'mcpwire/backend'
import { importAdvice } from '../errors/import-advice.ts'
import { installAdvice } from '../errors/missing-package.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { findSyntaxError } from './find-syntax-error.ts'

/** `server.ts:14: Error: No such table`, with the stack for `--debug`. A `Failure` stays as it is. */
export async function programFailure(path: string, thrown: unknown): Promise<Failure> {
  if (thrown instanceof Failure) return thrown
  // The engine is what cannot be reached, wherever the program has named it.
  if (thrown instanceof BackendError) {
    const hint = installAdvice(thrown)
    return new Failure(thrown.message, { slug: 'backend-failed', exitCode: EXIT.noConnection, hint, cause: thrown })
  }
  if (!(thrown instanceof Error)) {
    const what = `The program threw a value that is not an Error: ${inspect(thrown)}`
    return new Failure(`${path}: ${what}`, { slug: 'file-cannot-load', exitCode: EXIT.noConnection, cause: thrown })
  }
  const ofTsx = syntaxErrorOfTsx(thrown)
  if (ofTsx !== undefined) {
    return new Failure(ofTsx, {
      slug: 'file-cannot-load',
      exitCode: EXIT.noConnection,
      hint: 'Correct the file.',
      cause: thrown,
    })
  }
  const { place, line } = placeOf(thrown, path)
  const said = thrown.message.replace(/ imported from .+$/, '').replace(` (${place}:`, ' (')
  const message = `${place}: ${thrown.name}: ${said.replace(/ \(\d+\)$/, '')}${line === undefined ? '' : `\n${line}`}`
  return new Failure(message, {
    slug: 'file-cannot-load',
    exitCode: EXIT.noConnection,
    hint: await hintFor(thrown),
    cause: thrown,
  })
}

const MAX_QUOTED = 200

/** The compiler of tsx puts the place into its message, and the stack is its own. */
const OF_TSX = /^((?:\/|[A-Za-z]:[\\/]).*):(\d+):\d+: ERROR: (.*)$/m

function syntaxErrorOfTsx({ message }: Error): string | undefined {
  const [, file, line, text] = OF_TSX.exec(message) ?? []
  if (file === undefined) return undefined
  const quoted = readLine(file, Number(line))
  return `${file}:${line}: SyntaxError: ${text}${quoted === undefined ? '' : `\n${quoted}`}`
}

function readLine(file: string, number: number): string | undefined {
  try {
    const line = readFileSync(file, 'utf8').split('\n')[number - 1]
    return line !== undefined && line.length <= MAX_QUOTED ? line.trim() : undefined
  } catch {
    return undefined
  }
}

/** With the line of the program, where that is what is wrong. */
function placeOf(error: Error, path: string): { place: string; line?: string | undefined } {
  const [, importer] = /\bimported from (.+)$/.exec(error.message) ?? []
  if (importer !== undefined) return { place: importer.startsWith('file:') ? fileURLToPath(importer) : importer }
  if (!(error instanceof SyntaxError)) return { place: placeIn(error) ?? path }
  // V8 puts the place, the line and a mark below it above the name of a syntax error; Node takes that off some of them.
  const [first = '', quoted = ''] = error.stack?.split('\n') ?? []
  const found = FRAME.test(first) ? { place: placeIn(error) ?? path, text: quoted } : findSyntaxError(path)
  if (found === undefined) return { place: placeIn(error) ?? path }
  return { place: found.place, line: found.text.length <= MAX_QUOTED ? found.text.trim() : undefined }
}

async function hintFor(error: Error): Promise<string> {
  const [, name] = /^Cannot find package '([^']+)'/.exec(error.message) ?? []
  if (name !== undefined) return `Run npm install ${name} in the folder of the file.`
  const install = installAdvice(error) ?? (await importAdvice(error))
  if (install !== undefined) return install
  return error instanceof SyntaxError ? 'Correct the file.' : 'Correct the file. Use --debug for the stack trace.'
}

/** A frame of a stack in a file, or the first line that V8 puts above a syntax error. */
const FRAME = /(?:^|[\s(])((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^\n()]*?):(\d+)(?::\d+)?\)?$/m

/** The first place outside Node, mcpwire and packages; else the first in a package, which the program may use wrongly. */
function placeIn(error: Error): string | undefined {
  const places: string[] = []
  for (const line of error.stack?.split('\n') ?? []) {
    const [, file, number] = FRAME.exec(line) ?? []
    if (file === undefined || file.includes('node:')) continue
    places.push(`${file.startsWith('file:') ? fileURLToPath(file) : file}:${number}`)
  }
  return places.find(isOfTheProgram) ?? places.find((place) => !isOwn(place))
}

/** `dist` of this package, wherever it is. */
const OWN_FOLDER = fileURLToPath(new URL('../', import.meta.url))

/** The program may have loaded another copy of the package. */
const OWN_PACKAGE = /[\\/]node_modules[\\/]mcpwire[\\/]/

function isOwn(place: string): boolean {
  return place.startsWith(OWN_FOLDER) || OWN_PACKAGE.test(place)
}

function isOfTheProgram(place: string): boolean {
  return !/[\\/]node_modules[\\/]/.test(place) && !isOwn(place)
}

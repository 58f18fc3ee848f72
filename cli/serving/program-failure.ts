// What a program of the user threw, with the place in that program.
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'

/** `server.ts:14: Error: No such table`, with the stack for `--debug`. A `Failure` stays as it is. */
export function programFailure(path: string, thrown: unknown, exitCode: number = EXIT.noConnection): Failure {
  if (thrown instanceof Failure) return thrown
  const isError = thrown instanceof Error
  const what = isError ? nameOf(thrown) : `The program threw a value that is not an Error: ${inspect(thrown)}`
  const slug = exitCode === EXIT.noConnection ? 'file-cannot-load' : 'program-failed'
  return new Failure(`${isError ? (placeIn(thrown) ?? path) : path}: ${what}`, {
    slug,
    exitCode,
    hint: isError ? hintFor(thrown) : undefined,
    cause: thrown,
  })
}

/** With the line of the program, where that is what is wrong. */
function nameOf(error: Error): string {
  const line = error instanceof SyntaxError ? quotedLine(error) : undefined
  return `${error.name}: ${error.message}${line === undefined ? '' : `\n${line}`}`
}

const MAX_QUOTED = 200

/** V8 puts the place, the line and a mark below it above the name of a syntax error. */
function quotedLine({ stack = '' }: Error): string | undefined {
  const [place = '', line = ''] = stack.split('\n')
  return FRAME.test(place) && line.length <= MAX_QUOTED ? line.trim() : undefined
}

function hintFor(error: Error): string {
  const [, name] = /^Cannot find package '([^']+)'/.exec(error.message) ?? []
  if (name !== undefined) return `Run npm install ${name} in the folder of the file.`
  return error instanceof SyntaxError ? 'Correct the file.' : 'Correct the file. Use --debug for the stack trace.'
}

/** A frame of a stack in a file, or the first line that V8 puts above a syntax error. */
const FRAME = /(?:^|[\s(])((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^\n()]*?):(\d+)(?::\d+)?\)?$/m

/** The first place outside Node and this command line. */
function placeIn(error: Error): string | undefined {
  for (const line of error.stack?.split('\n') ?? []) {
    const [, file, number] = FRAME.exec(line) ?? []
    if (file === undefined || file.includes('node:')) continue
    return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${number}`
  }
  return undefined
}

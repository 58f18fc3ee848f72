// A fault in a file, with its place.
import { Failure } from '../terminal/failure.ts'

const REPAIR = 'Nothing was changed. Repair the file or move it away, then run the command again.'

/** A fault of a file at a place. What the file says there is not repeated: it may be a secret. */
export function brokenAt({ path, text }: { path: string; text: string }, offset: number, what: string): Failure {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/)
  const column = (lines.at(-1)?.length ?? 0) + 1
  return new Failure(`${path} is broken at line ${lines.length}, column ${column}: ${what}.`, { hint: REPAIR })
}

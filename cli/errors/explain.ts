// What a command prints about a failure: message, fix, page, exit code and the slug that scripts and pages know it by.
import { inspect } from 'node:util'
import { Failure } from '../terminal/failure.ts'
import { findEntry } from './catalogue/catalogue.ts'
import { classify } from './classify.ts'

export interface Explained {
  readonly slug: string
  readonly message: string
  /** Why it happens, from the catalogue. */
  readonly cause: string | undefined
  /** What to do about it. */
  readonly fix: string | undefined
  /** The page about it. */
  readonly help: string | undefined
  readonly exitCode: number
  /** For `--debug`, and for bugs of mcpwire. */
  readonly stack: string | undefined
}

/** Everything that a command prints about a failure passes here. */
export function explain(thrown: unknown): Explained {
  const { fix, ...classified } = classify(thrown)
  const entry = findEntry(classified.slug)
  // A failure of a command says itself what to do, where there is something.
  const general = thrown instanceof Failure ? undefined : entry?.fix[0]?.replaceAll('`', '')
  return {
    ...classified,
    cause: entry?.causeOnCommandLine ?? entry?.cause,
    fix: fix ?? entry?.onCommandLine ?? general,
    help: entry === undefined ? undefined : `mcpwire/docs/errors/${classified.slug}.md`,
    stack: stackOf(thrown),
  }
}

/** Without the lines of Node's own loader, which do not help to find the cause; with the causes. */
function stackOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  return inspect(thrown)
    .split('\n')
    .filter((line) => !/^\s+at .*\(?node:internal\//.test(line))
    .join('\n')
}

// The steps of a diagnosis, and what each of them can find.
import { findEntry } from '../../errors/catalogue/catalogue.ts'
import { explain } from '../../errors/explain.ts'

/** In their order. The number of a step is its place here. */
export const STEPS = [
  ['target', 'Target'],
  ['dns', 'DNS'],
  ['connection', 'TCP and TLS'],
  ['program', 'Program'],
  ['stdout', 'stdout'],
  ['endpoint', 'Endpoint'],
  ['revision', 'Revision'],
  ['authorization', 'Authorization'],
  ['listings', 'Listings'],
  ['round-trip', 'Round trip'],
] as const

export type StepName = (typeof STEPS)[number][0]

/** `skipped`: not needed for this target, or an earlier step failed. */
export type FindingState = 'ok' | 'warning' | 'fault' | 'skipped'

export interface Finding {
  readonly state: FindingState
  /** One line. Text of a server in it is escaped where it is printed. */
  readonly text: string
  /** Further lines: each request with its status, each warning. */
  readonly details?: readonly string[]
  /** Of a fault, and of a warning that has something to do about it. */
  readonly problem?: Problem
}

export interface Problem {
  readonly slug?: string
  readonly cause: string
  /** What to do, in the order to try it. */
  readonly fix: readonly string[]
  /** The page about it. */
  readonly help?: string
}

export interface Step extends Finding {
  readonly number: number
  readonly name: StepName
  readonly title: string
}

export function ok(text: string, details: readonly string[] = []): Finding {
  return { state: 'ok', text, ...(details.length > 0 && { details }) }
}

export function skipped(text: string): Finding {
  return { state: 'skipped', text }
}

export interface FaultOptions {
  /** Default: those of the catalogue. */
  readonly cause?: string | undefined
  readonly fix?: string | readonly string[] | undefined
  readonly details?: readonly string[]
}

/** A fault that the error catalogue knows. */
export function fault(text: string, slug: string, options: FaultOptions = {}): Finding {
  return { ...withProblem(text, slug, options), state: 'fault' }
}

/** Works, and not everywhere or not for long. */
export function warning(text: string, slug: string, options: FaultOptions = {}): Finding {
  return { ...withProblem(text, slug, options), state: 'warning' }
}

function withProblem(text: string, slug: string, { cause, fix, details = [] }: FaultOptions): Omit<Finding, 'state'> {
  const entry = findEntry(slug)
  const fixes = fix ?? entry?.onCommandLine ?? entry?.fix ?? []
  return {
    text,
    ...(details.length > 0 && { details }),
    problem: {
      slug,
      cause: cause ?? entry?.cause ?? text,
      fix: typeof fixes === 'string' ? [fixes] : fixes,
      ...(entry !== undefined && { help: `mcpwire/docs/errors/${slug}.md` }),
    },
  }
}

/** What a failed connection or request is. */
export function faultOf(thrown: unknown, details: readonly string[] = []): Finding {
  const { slug, message, cause, fix } = explain(thrown)
  return fault(firstLine(message), slug, { cause, fix, details })
}

export function firstLine(message: string): string {
  return message.split('\n')[0] ?? ''
}

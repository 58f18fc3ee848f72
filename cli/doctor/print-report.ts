// Prints the findings: one line each with ✓, ! or ✗, then cause, fix and page for the first fault.
import { padEnd, wrap } from '../terminal/columns.ts'
import type { Output, Paint } from '../terminal/output.ts'
import { showLine } from '../terminal/terminal-text.ts'
import type { Finding, FindingState } from './findings/step.ts'

const MARKS: Readonly<Record<FindingState, string>> = { ok: '✓', warning: '!', fault: '✗', skipped: '-' }

export interface PrintedFinding extends Finding {
  /** What stands before the text: number and title of a step. */
  readonly title: string
}

/** Where less than this is left beside the titles, the text goes below them. */
const MIN_COLUMNS = 30
const NARROW_INDENT = 5

export function printFinding(finding: PrintedFinding, titleWidth: number, output: Output): void {
  const { paint } = output
  const isNarrow = output.isTerminal && output.width - titleWidth - 4 < MIN_COLUMNS
  const indent = isNarrow ? NARROW_INDENT : titleWidth + 4
  const width = output.isTerminal ? Math.max(output.width - indent, 20) : Number.POSITIVE_INFINITY
  const margin = ' '.repeat(indent)
  const [first = '', ...more] = wrap(showLine(finding.text), width)
  const shown = finding.state === 'skipped' ? paint.dim(first) : first
  const head = `${paintOf(finding.state, paint)(MARKS[finding.state])} `
  if (isNarrow) {
    output.print(`${head}${finding.title}`)
    output.print(`${margin}${shown}`)
  } else output.print(`${head}${padEnd(finding.title, titleWidth)}  ${shown}`)
  for (const line of more) output.print(`${margin}${line}`)
  for (const detail of finding.details ?? []) {
    for (const line of wrap(showLine(detail), width)) output.print(`${margin}${paint.dim(line)}`)
  }
}

/** Cause, fix and page of the first fault, or of the first warning that has something to do about it. */
export function printProblem(findings: readonly PrintedFinding[], output: Output): void {
  const chosen =
    findings.find(({ state }) => state === 'fault') ??
    findings.find(({ state, problem }) => state === 'warning' && problem !== undefined)
  if (chosen?.problem === undefined) return
  const { cause, fix, help } = chosen.problem
  const { paint } = output
  output.print('')
  const headline = `${chosen.title.trim()}: ${showLine(chosen.text)}`
  for (const line of wrap(headline, output.isTerminal ? output.width : Number.POSITIVE_INFINITY)) {
    output.print(paintOf(chosen.state, paint)(paint.bold(line)))
  }
  printNamed('Cause:', cause, output)
  for (const [index, step] of fix.entries()) printNamed(index === 0 ? 'Fix:' : '', step, output)
  if (help !== undefined) printNamed('More:', help, output)
}

/** Commands that are copied from a pipe stay on one line. */
function printNamed(name: string, text: string, output: Output): void {
  const width = output.isTerminal ? Math.max(output.width - NAME_WIDTH, 20) : Number.POSITIVE_INFINITY
  for (const [index, line] of wrap(showLine(text), width).entries()) {
    output.print(`${(index === 0 ? name : '').padEnd(NAME_WIDTH)}${line}`)
  }
}

const NAME_WIDTH = 'Cause: '.length

function paintOf(state: FindingState, paint: Paint): (text: string) => string {
  if (state === 'fault') return paint.red
  if (state === 'warning') return paint.yellow
  return state === 'ok' ? paint.green : paint.dim
}

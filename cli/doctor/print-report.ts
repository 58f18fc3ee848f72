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

export function printFinding(finding: PrintedFinding, titleWidth: number, output: Output): void {
  const { paint } = output
  const indent = titleWidth + 4
  const width = output.isTerminal ? Math.max(output.width - indent, 24) : Number.POSITIVE_INFINITY
  const [first = '', ...more] = wrap(showLine(finding.text), width)
  const mark = paintOf(finding.state, paint)(MARKS[finding.state])
  output.print(
    `${mark} ${padEnd(finding.title, titleWidth)}  ${finding.state === 'skipped' ? paint.dim(first) : first}`,
  )
  const margin = ' '.repeat(indent)
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
  output.print(paintOf(chosen.state, paint)(paint.bold(`${chosen.title.trim()}: ${showLine(chosen.text)}`)))
  output.print(`Cause: ${showLine(cause)}`)
  for (const [index, step] of fix.entries()) output.print(`${index === 0 ? 'Fix:  ' : '      '} ${showLine(step)}`)
  if (help !== undefined) output.print(`More:  ${help}`)
}

function paintOf(state: FindingState, paint: Paint): (text: string) => string {
  if (state === 'fault') return paint.red
  if (state === 'warning') return paint.yellow
  return state === 'ok' ? paint.green : paint.dim
}

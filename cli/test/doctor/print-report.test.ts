// The report of doctor at 40, 80 and 200 columns: no line is wider than the terminal, and nothing is cut.
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type PrintedFinding, printFinding, printProblem } from '../../doctor/print-report.ts'
import { createOutput } from '../../terminal/output.ts'

const FINDING: PrintedFinding = {
  title: ' 8 Authorization',
  state: 'fault',
  text: 'The authorization server does not list PKCE in its metadata, so that no client of MCP logs in there',
  details: ['GET the metadata of the resource: HTTP 200', 'GET the metadata of the server: HTTP 404'],
  problem: {
    cause: 'The specification forbids a login where PKCE is not listed.',
    fix: ['Ask for it.', 'Or use another one.'],
  },
}

function print(columns: number | undefined): string[] {
  const stdout = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns })
  const output = createOutput({ stdout, stderr: new PassThrough(), env: { NO_COLOR: '1' } })
  printFinding(FINDING, 16, output)
  printProblem([FINDING], output)
  return String(stdout.read()).trimEnd().split('\n')
}

const wordsOf = (lines: readonly string[]) => lines.join(' ').split(/\s+/)

describe('the report of doctor', () => {
  it.each([40, 80, 200])('at %i columns', (columns) => {
    const lines = print(columns)
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns)
    expect(wordsOf(lines)).toEqual(wordsOf(print(undefined)))
  })

  it('goes into a pipe with one line for each text', () => {
    expect(print(undefined)).toEqual([
      `✗  8 Authorization  ${FINDING.text}`,
      `                    ${FINDING.details?.[0]}`,
      `                    ${FINDING.details?.[1]}`,
      '',
      `8 Authorization: ${FINDING.text}`,
      'Cause: The specification forbids a login where PKCE is not listed.',
      'Fix:   Ask for it.',
      '       Or use another one.',
    ])
  })
})

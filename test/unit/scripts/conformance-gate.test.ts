import { describe, expect, it } from 'vitest'
// @ts-expect-error the scripts are plain JavaScript, so that they run before anything is built
import { findProblems, judge } from '../../../scripts/conformance/gate.js'
// @ts-expect-error as above
import { describeRun } from '../../../scripts/conformance/report.js'

const success = { id: 'greets', status: 'SUCCESS' }

describe('the gate of the conformance run', () => {
  it('passes what has a success and nothing else to say', () => {
    expect(judge({ scenario: 'ping', checks: [success], exitCode: 0 })).toMatchObject({ verdict: 'pass', problems: [] })
  })

  it.each([
    ['a failure', { checks: [success, { id: 'x', status: 'FAILURE', errorMessage: 'no' }] }, 'failure x: no'],
    ['a warning', { checks: [success, { id: 'x', status: 'WARNING', description: 'hm' }] }, 'warning x: hm'],
    ['a skipped check', { checks: [success, { id: 'x', status: 'SKIPPED' }] }, 'skipped x: '],
    ['an empty run', { checks: [{ id: 'x', status: 'INFO' }] }, 'nothing succeeded: an empty run is no pass'],
    ['a crash', { checks: undefined }, 'stored no checks: it crashed or did not run'],
    ['a check that is gone', { checks: [success], expectedIds: ['greets', 'leaves'] }, 'the check leaves was not made'],
    ['an exit code', { checks: [success], exitCode: 1 }, 'the suite ended with exit code 1'],
  ])('fails on %s', (_name, result, problem) => {
    expect(findProblems({ scenario: 'ping', ...result })).toEqual([problem])
    expect(judge({ scenario: 'ping', ...result })).toMatchObject({ verdict: 'fail' })
  })

  it('lets a scenario wait for its reason, but not once it passes', () => {
    const failing = [{ id: 'x', status: 'FAILURE' }]
    expect(judge({ scenario: 'tasks-status-notifications', checks: failing })).toMatchObject({ verdict: 'waits' })
    expect(judge({ scenario: 'tasks-status-notifications', checks: [success] })).toMatchObject({ verdict: 'fail' })
  })

  it('reports the scores of each leg', () => {
    const outcomes = [
      { ...judge({ scenario: 'ping', checks: [success] }), isScored: true },
      judge({ scenario: 'tasks-status-notifications', checks: undefined }),
    ]
    expect(describeRun([{ leg: 'server-2025-11-25', outcomes }])).toContain(
      '| server-2025-11-25 | 1 of 2 | 1 of 1 | 1 |',
    )
  })
})

// The options of a call that only its task can use: whether they can work, and whether they have an effect. Loaded for calls with one.

import type { FaultReporter } from '../../dispatcher/fault.ts'
import { rangeError } from '../../primitives/help.ts'
import { assertDuration, checkKind } from '../../primitives/options.ts'
import type { ClientToolCallOptions } from '../client-options.ts'

const TASK_OPTIONS = ['task', 'onStatus', 'onStop', 'leaveAfterMs'] as const

type TaskOptionName = (typeof TASK_OPTIONS)[number]

/** Throws `TypeError` or `RangeError` for values that can't work. */
export function checkTaskOptions({ task, onStatus, onStop, leaveAfterMs }: ClientToolCallOptions): void {
  if (task !== undefined) checkKind('The option task of a call', task, 'boolean')
  if (onStatus !== undefined) checkKind('The option onStatus of a call', onStatus, 'function')
  if (leaveAfterMs !== undefined) assertDuration('leaveAfterMs', leaveAfterMs)
  if (onStop === undefined || onStop === 'cancel' || onStop === 'leave') return
  throw rangeError(
    'wrong-option',
    `The option onStop of a call must be 'cancel' or 'leave', not ${JSON.stringify(onStop)}.`,
  )
}

const REASONS = {
  'no tasks':
    'because the client has no tasks. ' +
    "Add tasks() from 'mcpwire/extensions/tasks' to the option extensions of the client.",
  'plain call': 'because at revision 2025-11-25 only a call with task: true becomes a task. Set task: true.',
}

/** Says once for each option that it has no effect on calls of this client. */
export class UnusedTaskOptions {
  readonly #faults: FaultReporter
  readonly #reported = new Set<TaskOptionName>()

  constructor(faults: FaultReporter) {
    this.#faults = faults
  }

  report(options: ClientToolCallOptions, reason: keyof typeof REASONS): void {
    for (const name of TASK_OPTIONS) {
      if (options[name] === undefined || options[name] === false || this.#reported.has(name)) continue
      this.#reported.add(name)
      const message = `The option ${name} of a call has no effect, ${REASONS[reason]}`
      this.#faults.report({ kind: 'configuration-warning', message })
    }
  }
}

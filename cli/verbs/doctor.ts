// mcpwire doctor: finds out what is wrong with a server, or with this machine.
import { diagnose } from '../doctor/diagnose.ts'
import { faultOf, STEPS, type Step } from '../doctor/findings/step.ts'
import { diagnoseMachine } from '../doctor/machine/diagnose-machine.ts'
import { type PrintedFinding, printFinding, printProblem } from '../doctor/print-report.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { checkMode } from '../target/connection-options.ts'
import { readChoices } from '../target/kept-login.ts'
import { resolveTarget, type Target } from '../target/target.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { startSpinner } from '../terminal/progress.ts'
import { showJSON } from '../terminal/terminal-text.ts'
import { expectNoMore, splitWords } from './shared/connected.ts'
import type { Invocation } from './shared/invocation.ts'

const TITLE_WIDTH = '10 Authorization'.length

export async function doctorVerb(invocation: Invocation<ConnectionOptions>): Promise<number> {
  const { words, afterDashes, options, output, interruption } = invocation
  if (words.length === 0 && afterDashes === undefined && options.config === undefined) {
    return printMachine(invocation)
  }
  const { target: typed, rest } = splitWords(invocation)
  expectNoMore(rest, 'doctor [target]')
  checkMode(options.mode)
  let target: Target
  try {
    target = await resolveTarget(typed, options, output)
  } catch (error) {
    if (!(error instanceof Failure) || error.slug === 'usage' || error.slug === 'not-approved') throw error
    return finish([{ number: 1, name: 'target', title: STEPS[0][1], ...faultOf(error) }], output, { isPrinted: false })
  }
  const stopSpinner = startSpinner(output, `Checking ${target.label}`)
  try {
    const steps = await diagnose({
      request: { target, options, output, interruption },
      choices: 'url' in target.entry ? readChoices(target.entry.url) : {},
      onStep: (step) => {
        if (!output.isJSON) printFinding(titled(step), TITLE_WIDTH, output)
      },
    })
    return finish(steps, output, { isPrinted: true })
  } finally {
    stopSpinner()
  }
}

function titled(step: Step): PrintedFinding {
  return { ...step, title: `${String(step.number).padStart(2)} ${step.title}` }
}

function finish(steps: readonly Step[], output: Output, { isPrinted }: { isPrinted: boolean }): number {
  const isHealthy = steps.every(({ state }) => state !== 'fault')
  const shown = steps.map(titled)
  if (output.isJSON) output.print(showJSON({ ok: isHealthy, steps }))
  else {
    if (!isPrinted) for (const step of shown) printFinding(step, TITLE_WIDTH, output)
    printProblem(shown, output)
  }
  if (!isHealthy) return EXIT.refused
  // Nothing is broken, and nothing works before it.
  const needsLogin = steps.some(({ name, state, problem }) => {
    return name === 'authorization' && state === 'warning' && problem?.slug === 'unauthorized'
  })
  return needsLogin ? EXIT.notAuthorized : EXIT.done
}

async function printMachine({ output, interruption }: Invocation<ConnectionOptions>): Promise<number> {
  const stopSpinner = startSpinner(output, 'Checking this machine')
  try {
    const findings = await diagnoseMachine(interruption)
    const isHealthy = findings.every(({ state }) => state !== 'fault')
    if (output.isJSON) {
      output.print(showJSON({ ok: isHealthy, findings }))
    } else {
      const width = Math.max(...findings.map(({ title }) => title.length))
      for (const finding of findings) printFinding(finding, width, output)
      printProblem(findings, output)
    }
    return isHealthy ? EXIT.done : EXIT.refused
  } finally {
    stopSpinner()
  }
}

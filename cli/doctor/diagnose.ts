// The ten steps for a target, in their order. Where one fails, those that need it are not tried.
import type { Client } from 'mcpwire'
import type { CommandEntry, RemoteEntry } from '../install/server-entry.ts'
import type { ConnectRequest } from '../target/connect.ts'
import { readToken } from '../target/connection-options.ts'
import type { LoginChoices } from '../target/kept-login.ts'
import { checkAuthorization } from './auth/authorization-step.ts'
import { checkRevision, connectTo, explainRevision, prepare, stepOf } from './connect-steps.ts'
import { checkEndpoint } from './endpoint-step.ts'
import { type Finding, faultOf, ok, STEPS, type Step, type StepName, skipped } from './findings/step.ts'
import { checkListings } from './listing-step.ts'
import { checkConnection, checkDns } from './network-steps.ts'
import { checkStdout, describeProgram, explainProgram, silentProgram } from './program-steps.ts'
import { checkRoundTrip } from './round-trip-step.ts'

export interface Diagnosis {
  readonly request: ConnectRequest
  readonly choices: LoginChoices
  /** Called with each step as it ends. */
  readonly onStep: (step: Step) => void
}

/** Seconds, where `--connect-timeout` and `--timeout` say nothing. */
const URL_SECONDS = 10
const LIST_SECONDS = 30

const NOT_CHECKED = skipped('Not checked')

export async function diagnose(diagnosis: Diagnosis): Promise<Step[]> {
  const steps = new StepList(diagnosis.onStep)
  const { entry } = diagnosis.request.target
  steps.add('target', describeTarget(diagnosis.request))
  if ('url' in entry) await diagnoseUrl(diagnosis, entry, steps)
  else await diagnoseCommand(diagnosis, entry, steps)
  steps.fill(NOT_CHECKED)
  return steps.all
}

/** Keeps the order: what was passed over is not checked. */
class StepList {
  readonly all: Step[] = []
  readonly #onStep: (step: Step) => void

  constructor(onStep: (step: Step) => void) {
    this.#onStep = onStep
  }

  /** Returns whether the next step can be tried. */
  add(name: StepName, finding: Finding): boolean {
    while (this.#next !== undefined && this.#next !== name) this.#push(NOT_CHECKED)
    this.#push(finding)
    return finding.state !== 'fault'
  }

  has(name: StepName): boolean {
    return this.all.some((step) => step.name === name)
  }

  fill(finding: Finding): void {
    while (this.#next !== undefined) this.#push(finding)
  }

  get #next(): StepName | undefined {
    return STEPS[this.all.length]?.[0]
  }

  #push(finding: Finding): void {
    const [name, title] = STEPS[this.all.length] as (typeof STEPS)[number]
    const step: Step = { number: this.all.length + 1, name, title, ...finding }
    this.all.push(step)
    this.#onStep(step)
  }
}

function describeTarget({ target }: ConnectRequest): Finding {
  const { entry, file, label } = target
  if ('url' in entry)
    return ok(`URL ${withoutSecrets(entry.url)}${label.startsWith('@') ? `, configured as ${label}` : ''}`)
  if (file !== undefined)
    return ok(`File ${file.path}${file.exportName === undefined ? '' : `, export ${file.exportName}`}`)
  return ok(
    `Command ${entry.command}${entry.args.length === 0 ? '' : `, with ${count(entry.args.length, 'argument')}`}`,
  )
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

async function diagnoseUrl(diagnosis: Diagnosis, entry: RemoteEntry, steps: StepList): Promise<void> {
  const { target, options, interruption: signal } = diagnosis.request
  const ms = (options.connectTimeout ?? URL_SECONDS) * 1000
  const place = new URL(entry.url)
  if (!steps.add('dns', await checkDns(place, ms, signal))) return
  if (!steps.add('connection', await checkConnection(place, ms, signal))) return
  steps.add('program', skipped('Not needed for a URL'))
  steps.add('stdout', skipped('Not needed for a URL'))
  const token = readToken(options.token)
  const urls = target.candidates ?? [entry.url]
  const { finding, answer, url } = await checkEndpoint({ entry, urls, token, ms, signal })
  if (!steps.add('endpoint', finding)) return

  const found = { ...entry, url }
  const { candidates: _tried, ...settled } = target
  const connecting = prepare({ ...diagnosis.request, target: { ...settled, entry: found } })
  const hasOwnToken = token !== undefined || Object.keys(entry.headers).some((name) => /^authorization$/i.test(name))
  const isProtected = answer?.status === 401 || hasOwnToken
  const authorize = (isConnected: boolean) =>
    checkAuthorization({
      entry: found,
      url,
      choices: diagnosis.choices,
      isConnected,
      hasOwnToken,
      ownToken: token,
      ms,
      signal,
    })
  try {
    await connectTo(connecting, async (client) => {
      steps.add('revision', checkRevision(client))
      steps.add(
        'authorization',
        answer?.status === 401
          ? await authorize(true)
          : ok(isProtected ? 'The server accepts the token' : 'Not required'),
      )
      await useClient(client, diagnosis, steps)
    })
  } catch (error) {
    signal.throwIfAborted()
    if (steps.has('revision')) throw error
    const step = stepOf(error, false)
    if (step === 'authorization') steps.add(step, answer?.status === 401 ? await authorize(false) : faultOf(error))
    else steps.add('revision', step === 'revision' ? explainRevision(error, options.mode) : faultOf(error))
  }
}

async function diagnoseCommand(diagnosis: Diagnosis, entry: CommandEntry, steps: StepList): Promise<void> {
  const { target, options, interruption: signal } = diagnosis.request
  steps.add('dns', skipped('Not needed for a command'))
  steps.add('connection', skipped('Not needed for a command'))
  const connecting = prepare(diagnosis.request)
  const { strayLines } = connecting
  try {
    await connectTo(connecting, async (client) => {
      steps.add('program', describeProgram(target, entry))
      steps.add('stdout', checkStdout(strayLines))
      steps.add('endpoint', ok('The program answers'))
      steps.add('revision', checkRevision(client))
      steps.add('authorization', skipped('Not needed for a command'))
      await useClient(client, diagnosis, steps)
    })
  } catch (error) {
    signal.throwIfAborted()
    if (steps.has('revision')) throw error
    const step = stepOf(error, true)
    if (step === 'program') {
      steps.add('program', explainProgram(error, entry))
      return
    }
    steps.add('program', describeProgram(target, entry))
    if (!steps.add('stdout', checkStdout(strayLines, error)) && step === 'stdout') return
    if (step === 'endpoint') {
      steps.add('endpoint', silentProgram(error, entry))
      return
    }
    steps.add('endpoint', ok('The program answers'))
    steps.add('revision', explainRevision(error, options.mode))
  }
}

async function useClient(client: Client, { request }: Diagnosis, steps: StepList): Promise<void> {
  const { options, interruption: signal } = request
  const ms = (options.timeout ?? LIST_SECONDS) * 1000
  steps.add('listings', await checkListings(client, ms, signal))
  steps.add('round-trip', await checkRoundTrip(client, ms, signal))
}

// The sources of a gateway while it runs: they come and go, and one that fails is left out or fails the whole.
import { CompositeSource } from '../../compose/composite/composite-source.ts'
import { checkNamespace, readNaming } from '../../compose/composite/names.ts'
import type { Part } from '../../compose/composite/part.ts'
import { putInFront } from '../../compose/sources/transform.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { type Principal, principalKey } from '../../http/principal.ts'
import { rangeError } from '../../primitives/help.ts'
import { givenOf } from '../../primitives/options.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { coreOf } from '../../server/internals.ts'
import type { Server } from '../../server/server.ts'
import type { Source } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { callerOf } from '../base/caller.ts'
import { isLoop, proxyFailure } from '../base/failures.ts'
import { checkProxyOptions, type ProxyOptions } from '../base/options.ts'
import type { Passage } from '../base/passage.ts'
import { type ProxyTarget, reportForeignKeys } from '../base/targets.ts'
import type { HealthOptions, UpstreamHealth } from '../pool/health.ts'
import { SignedInSource } from '../sign-in/signed-in-source.ts'
import type { FrontTasks } from '../tasks/front-tasks.ts'
import { TaskedSource } from '../tasks/tasked-source.ts'
import { startEagerly } from '../upstream/eager-start.ts'
import { UpstreamSource } from '../upstream/upstream-source.ts'
import { withinTime } from '../upstream/within-time.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { asSource, checkSource, type GatewaySource, isSwitchedOff, type NamedTargets } from './gateway-targets.ts'
import { TaskIds } from './task-ids.ts'

const LIST_TIMEOUT_MS = 10_000

interface Member {
  readonly source: UpstreamSource
  readonly asking: SignedInSource
  /** As the gateway shows it, without its namespace. */
  readonly shown: Source
  readonly part: Part
  readonly optional: boolean | undefined
  readonly isEager: boolean
}

export class GatewaySources {
  readonly composite: CompositeSource
  readonly #options: GatewayOptions
  readonly #faults: FaultReporter
  readonly #tasks: FrontTasks
  readonly #passage: Passage
  readonly #members = new Map<string, Member>()
  readonly #taskIds = new TaskIds()
  /** Removed, and still at work for calls that were under way. */
  readonly #retiring = new Set<UpstreamSource>()
  #server: Server | undefined

  constructor(options: GatewayOptions, faults: FaultReporter, tasks: FrontTasks, passage: Passage) {
    const { route } = options
    this.#options = options
    this.#faults = faults
    this.#tasks = tasks
    this.#passage = passage
    this.composite = new CompositeSource({
      naming: readNaming('createGateway()', options.naming),
      learnsResources: true,
      report: (fault) => faults.report(fault),
      onListFailure: (name, error) => this.#listFailed(name, error),
      route: route && ((method, params, request) => route(method, params, callerOf(request, '', {}))),
    })
  }

  /** The server that shows them. Known before the first source. */
  servedBy(server: Server): void {
    this.#server = server
  }

  get names(): readonly string[] {
    return [...this.#members.keys()]
  }

  addAll(targets: NamedTargets): void {
    for (const [name, target] of targets) {
      if (!isSwitchedOff(target)) this.add(name, target)
      else this.#faults.report({ kind: 'configuration-warning', message: `'${name}' is disabled and was skipped` })
    }
  }

  add(name: string, target: ProxyTarget | GatewaySource): void {
    if (this.#members.has(name)) throw rangeError('duplicate-name', `The gateway has a source '${name}' already.`)
    checkNamespace('createGateway()', name)
    const { target: where, as = name, optional, ...further } = asSource(target)
    const {
      naming: _naming,
      onFailure: _failure,
      listTimeoutMs = LIST_TIMEOUT_MS,
      route: _route,
      transforms: _transforms,
      name: _name,
      version: _version,
      instructions: _text,
      ...inherited
    } = this.#options
    const options: ProxyOptions = { ...inherited, ...givenOf(further) }
    checkProxyOptions(`createGateway(): '${name}'`, options)
    if (optional !== undefined && typeof optional !== 'boolean')
      throw rangeError('wrong-option', `optional of '${name}' is ${JSON.stringify(optional)}. Use true or false.`)
    if (as !== '') checkNamespace('createGateway()', as)
    const checked = checkSource(where, name)
    const source = new UpstreamSource(
      checked,
      options,
      this.#faults,
      () => false,
      this.#passage,
      this.#taskIds.of(name),
    )
    const asking = new SignedInSource(source)
    const tasked = new TaskedSource(asking, source.upstream, this.#tasks, options.tasks === true)
    const core = coreOf(this.#server as Server)
    const shown = (further.transforms ?? []).reduce<Source>(
      (inner, transform) => putInFront(core, inner, transform),
      withinTime(tasked, listTimeoutMs, name, source.upstream.condition),
    )
    const part = this.composite.add({ name, source: shown, namespace: as === '' ? undefined : as })
    this.#members.set(name, { source, asking, shown, part, optional, isEager: options.start === 'eager' })
    reportForeignKeys(checked, this.#faults)
  }

  async remove(name: string): Promise<void> {
    const member = this.#members.get(name)
    if (member === undefined) return
    this.#members.delete(name)
    this.#taskIds.forget(name)
    this.composite.remove(member.part)
    this.#retiring.add(member.source)
    await member.source.retire().finally(() => this.#retiring.delete(member.source))
  }

  /** Opens those that start eagerly, all at once. Rejects where one fails that the gateway can't do without. */
  async start(): Promise<void> {
    const eager = [...this.#members].filter(([, { isEager }]) => isEager)
    await Promise.all(
      eager.map(async ([name, { shown, optional }]) => {
        try {
          await startEagerly(this.#server as Server, shown)
        } catch (error) {
          if (optional !== true) throw error
          this.#reportFailure(name, error)
        }
      }),
    )
  }

  sourceOfTask(id: unknown): Source | undefined {
    return this.#members.get(this.#taskIds.find(id)?.source ?? '')?.source
  }

  /** Each source that is open for the caller gets its level. */
  async setLevel(request: ServerRequestContext, params: JSONObject): Promise<void> {
    await this.#each(({ source }) => source.setLevel(request, params))
  }

  health(options?: HealthOptions): Promise<UpstreamHealth[]> {
    return Promise.all([...this.#members.values()].map(({ source }) => source.upstream.health(options)))
  }

  async forget(principal: Principal): Promise<void> {
    const owner = principalKey(principal)
    await this.#each(async ({ source, asking }) => {
      asking.forget(owner)
      await source.forget(principal)
    })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#retiring].map((source) => source.close()))
    await this.#each(({ source }) => source.close())
  }

  async #each(work: (member: Member) => Promise<void>): Promise<void> {
    await Promise.all([...this.#members.values()].map(work))
  }

  #listFailed(name: string, error: unknown): void {
    const inLoop = isLoop(error)
    // The source has reported it, once.
    if (!inLoop) this.#reportFailure(name, error)
    if (this.#members.get(name)?.optional === true || this.#options.onFailure !== 'fail') return
    if (inLoop) throw error
    throw proxyFailure('G010', name, `The source '${name}' can't be listed.`, { cause: error })
  }

  #reportFailure(name: string, error: unknown): void {
    const message = `The source '${name}' can't be listed. What it offers is left out until it can.`
    this.#faults.report({ kind: 'transport', message, error })
  }
}

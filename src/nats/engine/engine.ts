// What the parts of a backend on NATS share: the connection, the names of the namespace, two streams, the clock.
import { randomBytes } from 'node:crypto'
import { Link, type LinkOptions } from '../connection/link.ts'
import { Subjects } from '../connection/subjects.ts'
import type { Trip } from '../connection/trip.ts'
import { Clock } from './clock.ts'
import { Names, namespaceOf } from './names.ts'
import { prepareStreams } from './prepare-streams.ts'
import { Stream } from './stream.ts'
import { Sweeper } from './sweeper.ts'

export interface EngineOptions extends Omit<LinkOptions, 'prepare'> {
  readonly namespace: string | undefined
  readonly replicas: number
  readonly maxValueBytes: number
  readonly clock?: Clock
}

const CLOCK_TTL_MS = 86_400_000
/** 96 bits: no two writes have the same. */
const ID_BYTES = 12

export class Engine {
  readonly link: Link
  readonly subjects: Subjects
  readonly clock: Clock
  readonly state: Stream
  readonly logs: Stream
  readonly stateSweeper: Sweeper
  readonly maxValueBytes: number
  readonly #ids = new RandomIds()
  readonly #onLost = new Set<() => void>()
  #namespace: string | undefined
  #names: Names | undefined
  #made: string | undefined

  constructor({ namespace, replicas, maxValueBytes, clock = new Clock(), ...options }: EngineOptions) {
    this.#namespace = namespace
    this.maxValueBytes = maxValueBytes
    this.clock = clock
    this.link = new Link({ ...options, prepare: (trip) => this.#prepare(trip, replicas) })
    this.subjects = new Subjects(this.link)
    this.state = new Stream(this.link, clock, () => this.names.state)
    this.logs = new Stream(this.link, clock, () => this.names.logs)
    this.stateSweeper = new Sweeper(this.link, this.state, () => this.names.stateSubjects)
    this.state.onWrite(() => this.stateSweeper.wrote())
    const logSweeper = new Sweeper(this.link, this.logs, () => this.names.logSubjects)
    this.logs.onWrite(() => logSweeper.wrote())
    clock.refreshBy(() => this.link.perform('clock', (trip) => this.#sampleClock(trip)))
  }

  /** Known once the backend is open. */
  get names(): Names {
    this.#names ??= new Names(this.#namespace ?? 'mcpwire')
    return this.#names
  }

  async open(namespace: string | undefined): Promise<void> {
    if (namespace !== undefined) this.#namespace ??= namespaceOf(namespace)
    await this.link.open()
  }

  /** Called when the streams are others than before: what is known of them counts no more. */
  onLost(call: () => void): void {
    this.#onLost.add(call)
  }

  perform<T>(operation: string, work: (trip: Trip) => Promise<T>): Promise<T> {
    return this.link.perform(operation, work)
  }

  newId(): string {
    return this.#ids.next()
  }

  async #prepare(trip: Trip, replicas: number): Promise<void> {
    const made = await prepareStreams(this.link, trip, this.names, replicas)
    if (this.#made !== undefined && this.#made !== made) for (const call of this.#onLost) call()
    this.#made = made
    this.clock.add(await this.#sampleClock(trip))
  }

  /** The answer to the write says that the message is stored, and the message when. */
  async #sampleClock(trip: Trip) {
    const subject = this.names.own('clock')
    const id = this.newId()
    const sentAt = performance.now()
    await this.state.write(trip, subject, { id, ttlMs: CLOCK_TTL_MS, data: '' })
    const heardAt = performance.now()
    const stored = await this.state.last(trip, subject)
    // Another node may have written since: its message is later than our answer.
    const isOwn = stored?.id === id
    return { sentAt, heardAt: isOwn ? heardAt : performance.now(), serverTime: stored?.time ?? Date.now() }
  }
}

/** Random bytes are made for many at once: for each alone it costs more than to send it. */
class RandomIds {
  #bytes = Buffer.alloc(0)
  #at = 0

  next(): string {
    if (this.#at >= this.#bytes.length) {
      this.#bytes = randomBytes(ID_BYTES * 128)
      this.#at = 0
    }
    this.#at += ID_BYTES
    return this.#bytes.toString('base64url', this.#at - ID_BYTES, this.#at)
  }
}

// The one connection of a backend: requests with a deadline, repeated after a break, and what is to be done after each connect.
import { BackendError } from '../../backend/backend-error.ts'
import { Outage } from '../../backend/engine/outage.ts'
import { callSafely } from '../../backend/feed/feed-listeners.ts'
import { withHelpOf } from '../../primitives/help.ts'
import { ConnectionBroken, closed, innerError, isStreamMissing, toBackendError, tooLate } from './failures.ts'
import type { NatsConnectionLike, NatsHeaders, NatsLibrary, NatsMessage } from './nats-client.ts'
import { Backoff, OPENING_DEADLINES } from './open-connection.ts'
import { Trip } from './trip.ts'

export interface LinkOptions {
  readonly timeoutMs: number
  /** Where it is, for errors. */
  readonly where: string
  /** The connection stays the user's. */
  readonly isGiven: boolean
  load(): Promise<NatsLibrary>
  connect(library: NatsLibrary, backoff: Backoff): Promise<NatsConnectionLike>
  /** Makes the streams, after the first connect and after each further one. */
  prepare(trip: Trip): Promise<void>
}

export class Link {
  readonly #options: LinkOptions
  readonly #backoff = new Backoff()
  readonly #inFlight = new Set<(error: Error) => void>()
  readonly #outage: Outage
  readonly #onMended = new Set<() => void>()
  readonly #onClose = new Set<() => void>()
  #library: NatsLibrary | undefined
  #connection: NatsConnectionLike | undefined
  #opening: Promise<NatsConnectionLike> | undefined
  #preparing: Promise<void> | undefined
  #isUp = false
  #isClosed = false
  /** How often the connection broke. */
  #breaks = 0
  #watches = 0
  #lastError: unknown
  #heardAt = 0

  constructor(options: LinkOptions) {
    this.#options = options
    this.#outage = new Outage(options.timeoutMs)
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs
  }

  /** The connection, where there is one that works. */
  get live(): NatsConnectionLike | undefined {
    return this.#isUp ? this.#connection : undefined
  }

  get current(): NatsConnectionLike | undefined {
    return this.#connection
  }

  makeHeaders(): NatsHeaders {
    return (this.#library as NatsLibrary).headers()
  }

  /** Called after each break that is over. */
  onMended(call: () => void): void {
    this.#onMended.add(call)
  }

  onClose(call: () => void): void {
    this.#onClose.add(call)
  }

  checkOpen(operation: string): void {
    if (this.#isClosed) throw closed(operation)
  }

  async open(): Promise<void> {
    this.#isClosed = false
    await this.perform('open', async () => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#opening?.catch(() => {})
    const connection = this.#connection
    this.#connection = undefined
    this.#isUp = false
    for (const end of this.#onClose) callSafely(end)
    this.#break(closed('close'))
    this.#outage.over()
    if (connection !== undefined && !this.#options.isGiven) await connection.close().catch(() => {})
  }

  /**
   * Runs the work, and runs it again where the connection breaks meanwhile: it must recognise what it has done already. Rejects
   * with `BackendError` only, within the deadline.
   */
  async perform<T>(operation: string, work: (trip: Trip) => Promise<T>): Promise<T> {
    const trip = new Trip(this, operation, performance.now() + this.#options.timeoutMs)
    for (;;) {
      try {
        if (!this.#isUp || this.#preparing !== undefined) await this.#untilUp(trip)
        this.checkOpen(operation)
        return await work(trip)
      } catch (error) {
        if (error instanceof ConnectionBroken && trip.leftMs > 0 && !this.#isClosed) continue
        if (isStreamMissing(error) && !trip.hasRepaired) {
          await this.#repair(trip)
          continue
        }
        const outcome = trip.isUncertain ? 'unknown' : 'not-done'
        throw toBackendError(operation, error, outcome, this.#options.where)
      }
    }
  }

  /** Rejects with `ConnectionBroken` where the connection breaks before the returned function is called. */
  guard(reject: (error: Error) => void): () => void {
    this.#inFlight.add(reject)
    return () => void this.#inFlight.delete(reject)
  }

  /** Resolves once the server has got everything that was sent before. */
  flush(connection: NatsConnectionLike): Promise<void> {
    return new Promise((resolve, reject) => {
      const unguard = this.guard(reject)
      connection.flush().then(resolve, reject).finally(unguard)
    })
  }

  /** One request of a trip. */
  send(trip: Trip, subject: string, payload: string, headers: NatsHeaders | undefined): Promise<NatsMessage> {
    const connection = this.#connection
    const sentAt = performance.now()
    const { operation } = trip
    if (connection === undefined || this.#isClosed) return Promise.reject(closed(operation))
    if (trip.leftMs <= 0 && !trip.goesOn(-trip.leftMs, this.timeoutMs))
      return Promise.reject(tooLate(operation, this.timeoutMs, trip.isUncertain ? 'unknown' : 'not-done'))
    return new Promise((resolve, reject) => {
      const broken = (error: Error) => {
        trip.isUncertain = true
        reject(error)
      }
      this.#inFlight.add(broken)
      const ms = Math.ceil(Math.min(trip.leftMs, this.timeoutMs))
      const options = { timeout: ms, ...(headers !== undefined && { headers: headers as never }) }
      connection.request(subject, payload, options).then(
        (reply) => {
          this.#inFlight.delete(broken)
          this.#heardAt = performance.now()
          resolve(reply as NatsMessage)
        },
        (error: unknown) => {
          this.#inFlight.delete(broken)
          if (!(error instanceof Error) || error.name !== 'TimeoutError') return reject(innerError(error))
          trip.isUncertain = true
          // The library has dropped a reply that may have come: what was asked is asked again.
          if (trip.goesOn(performance.now() - sentAt - ms, this.timeoutMs))
            return reject(new ConnectionBroken('too late'))
          this.#renewIfStuck(connection, sentAt)
          reject(tooLate(operation, this.timeoutMs, 'unknown'))
        },
      )
    })
  }

  /** A connection on which nothing has come for as long as an operation may take is made anew. */
  #renewIfStuck(connection: NatsConnectionLike, since: number): void {
    if (this.#heardAt >= since || this.#options.isGiven || connection !== this.#connection || !this.#isUp) return
    const { reconnect } = connection as { reconnect?: () => Promise<void> }
    reconnect?.call(connection).catch(() => {})
  }

  async #untilUp(trip: Trip): Promise<void> {
    this.checkOpen(trip.operation)
    if (this.#connection === undefined) await this.#connect(trip.operation)
    if (!this.#isUp) await this.#untilMended(trip)
    // Whoever began it hears of a failure.
    if (this.#preparing !== undefined) await this.#preparing.catch(() => {})
  }

  #untilMended(trip: Trip): Promise<void> {
    const error = () =>
      toBackendError(
        trip.operation,
        this.#lastError ?? new Error(''),
        trip.isUncertain ? 'unknown' : 'not-done',
        this.#options.where,
      )
    return this.#outage.whenOver(error, trip.endsAt)
  }

  async #connect(operation: string): Promise<void> {
    this.#opening ??= this.#connectNow().finally(() => {
      this.#opening = undefined
    })
    try {
      await this.#opening
    } catch (error) {
      const { message, kind, cause } = toBackendError('open', error, 'not-done', this.#options.where)
      throw withHelpOf(error, 'backend-failed', new BackendError(message, { kind, operation, cause }))
    }
  }

  async #connectNow(): Promise<NatsConnectionLike> {
    this.#library ??= await this.#options.load()
    const connection = await this.#options.connect(this.#library, this.#backoff)
    if (this.#isClosed) {
      if (!this.#options.isGiven) await connection.close().catch(() => {})
      throw closed('open')
    }
    this.#connection = connection
    void this.#watch(connection)
    try {
      await this.#prepareFirst(connection)
    } catch (error) {
      this.#connection = undefined
      this.#isUp = false
      if (!this.#options.isGiven) await connection.close().catch(() => {})
      throw error
    }
    return connection
  }

  /** Where the connection breaks meanwhile, the library connects again, and what comes after that prepares. */
  async #prepareFirst(connection: NatsConnectionLike): Promise<void> {
    const trip = this.#openTrip()
    const breaks = this.#breaks
    try {
      await this.#options.prepare(trip)
      if (breaks === this.#breaks) return this.#up()
    } catch (error) {
      if (!(error instanceof ConnectionBroken) || connection.isClosed()) throw error
    }
    if (!this.#isUp) await this.#untilMended(trip)
  }

  #openTrip(): Trip {
    return new Trip(this, 'open', performance.now() + this.timeoutMs * OPENING_DEADLINES)
  }

  #prepareAgain(): Promise<void> {
    this.#preparing ??= this.#options.prepare(this.#openTrip()).finally(() => {
      this.#preparing = undefined
    })
    return this.#preparing
  }

  /** Makes the streams for a trip that has not found them. */
  async #repair(trip: Trip): Promise<void> {
    trip.hasRepaired = true
    try {
      await this.#prepareAgain()
    } catch (error) {
      // After a break they are made anyway.
      if (!(error instanceof ConnectionBroken))
        throw toBackendError(trip.operation, error, 'not-done', this.#options.where)
    }
  }

  async #watch(connection: NatsConnectionLike): Promise<void> {
    this.#watches += 1
    const watch = this.#watches
    for await (const { type, error } of connection.status()) {
      // A connection that the user gave may be opened again, and is watched then by another loop.
      if (connection !== this.#connection || watch !== this.#watches) return
      if (type === 'disconnect') this.#down(new ConnectionBroken('the connection broke'))
      else if (type === 'reconnecting') this.#backoff.attempted()
      else if (type === 'reconnect') void this.#mended()
      else if (type === 'error') this.#refuse(error)
      else if (type === 'close') this.#ended(connection)
    }
  }

  /** The user has closed the connection. */
  #ended(connection: NatsConnectionLike): void {
    if (this.#connection !== connection) return
    this.#lastError = new Error('the connection was closed')
    this.#down(new ConnectionBroken('the connection was closed'))
  }

  #down(error: Error): void {
    this.#isUp = false
    this.#breaks += 1
    this.#lastError = error
    this.#break(error)
  }

  /** Breaks are heard of meanwhile: the one after the last of them is the one that counts. */
  async #mended(): Promise<void> {
    this.#backoff.reset()
    const breaks = this.#breaks
    // What was sent after the break and before we heard of it is lost too, and with it what prepared then.
    this.#break(new ConnectionBroken('the connection broke'))
    await this.#preparing?.catch(() => {})
    if (breaks !== this.#breaks) return
    await this.#prepareAgain().catch((error: unknown) => {
      // The next break or a later operation says why.
      this.#lastError = error
    })
    if (this.#connection === undefined || breaks !== this.#breaks) return
    this.#up()
    for (const call of this.#onMended) callSafely(call)
  }

  #up(): void {
    this.#isUp = true
    this.#outage.over()
  }

  /** The server rejects a subject: what waits for an answer on it would wait in vain. */
  #refuse(error: unknown): void {
    if (error instanceof Error && error.name === 'PermissionViolationError') this.#break(error)
  }

  #break(error: Error): void {
    const all = [...this.#inFlight]
    this.#inFlight.clear()
    for (const reject of all) reject(error)
  }
}

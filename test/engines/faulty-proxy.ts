// Stands between a client and an engine (TCP or unix socket) and does to their connection what networks do.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `cut-before`: the request never arrives. `cut-after`: it arrives, its reply does not, and the connection ends. `halve`: half of the
 * reply arrives, and the connection ends. `swallow`: the reply does not arrive, and nothing else on this connection either.
 */
export type Fault = 'cut-before' | 'cut-after' | 'halve' | 'swallow'

interface Planned {
  readonly fault: Fault
  readonly when: RegExp
  struck(): void
}

interface Pair {
  readonly client: Socket
  readonly engine: Socket
  /** What the next reply will suffer. */
  pending?: Planned
  isSilent: boolean
}

export class FaultyProxy {
  readonly path: string
  readonly url: string
  /** Of the socket. */
  readonly folder: string
  #target: NetConnectOpts
  readonly #pairs = new Set<Pair>()
  #server: Server | undefined
  #planned: Planned | undefined
  #isHeld = false
  readonly #held: (() => void)[] = []
  #slowMs = 0
  #cutEvery = 0
  #cutWhen = /^/
  #idleRequests = 0
  /** How many connections were made. */
  connections = 0

  constructor(target: NetConnectOpts, name = 'proxy.sock') {
    this.#target = target
    this.folder = mkdtempSync(join(tmpdir(), 'proxy-'))
    this.path = join(this.folder, name)
    this.url = `unix://${this.path}`
  }

  /** Also again, after `stop`. */
  async start(): Promise<this> {
    const server = createServer((client) => this.#accept(client))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.path, resolve))
    return this
  }

  /** Ends all connections, and takes no more. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const ended = new Promise((resolve) => server.close(resolve))
    this.cut()
    await ended
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Ends all connections; new ones are taken. */
  cut(): void {
    for (const pair of this.#pairs) this.#end(pair)
  }

  /** New connections lead there. */
  redirect(target: NetConnectOpts): void {
    this.#target = target
  }

  /** Plans one fault, for the next request that looks like this. Resolves when it has struck. */
  plan(fault: Fault, when: RegExp): Promise<void> {
    return new Promise((struck) => {
      this.#planned = { fault, when, struck }
    })
  }

  /** Cuts the connection before every so many requests that look like this, where no reply is under way. */
  cutEvery(requests: number, when: RegExp): void {
    this.#cutEvery = requests
    this.#cutWhen = when
  }

  /** From here on each reply takes so long. */
  slowDown(ms: number): void {
    this.#slowMs = ms
  }

  /** Keeps all replies until `release`. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    for (const send of this.#held.splice(0)) send()
  }

  #accept(client: Socket): void {
    this.connections += 1
    const engine = connect(this.#target)
    const pair: Pair = { client, engine, isSilent: false }
    this.#pairs.add(pair)
    let repliesDue = 0
    client.on('data', (bytes) => {
      const planned = this.#planned
      if (planned?.when.test(bytes.toString('latin1')) === true) {
        this.#planned = undefined
        if (planned.fault === 'cut-before') {
          this.#end(pair)
          return planned.struck()
        }
        pair.pending = planned
      } else if (repliesDue === 0 && this.#isTimeToCut(bytes)) {
        return this.#end(pair)
      }
      repliesDue += 1
      engine.write(bytes)
    })
    engine.on('data', (bytes) => {
      repliesDue = 0
      if (this.#slowMs === 0) this.#reply(pair, bytes)
      else setTimeout(() => this.#reply(pair, bytes), this.#slowMs)
    })
    for (const socket of [client, engine]) {
      socket.on('error', () => {})
      socket.on('close', () => this.#end(pair))
    }
  }

  #isTimeToCut(request: Buffer): boolean {
    if (this.#cutEvery === 0 || !this.#cutWhen.test(request.toString('latin1'))) return false
    this.#idleRequests += 1
    return this.#idleRequests % this.#cutEvery === 0
  }

  #reply(pair: Pair, bytes: Buffer): void {
    if (this.#isHeld) {
      this.#held.push(() => this.#reply(pair, bytes))
      return
    }
    const { pending } = pair
    delete pair.pending
    if (pair.isSilent) return
    if (pending === undefined) {
      pair.client.write(bytes)
      return
    }
    if (pending.fault === 'swallow') pair.isSilent = true
    else if (pending.fault === 'halve') pair.client.end(bytes.subarray(0, bytes.length / 2), () => this.#end(pair))
    else this.#end(pair)
    pending.struck()
  }

  #end(pair: Pair): void {
    if (!this.#pairs.delete(pair)) return
    pair.client.destroy()
    pair.engine.destroy()
  }
}

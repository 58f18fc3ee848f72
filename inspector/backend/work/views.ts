// Views of apps: the host's end runs here, and the page only carries messages between it and the frame.

import type { Channel, Receiver } from 'mcpwire/dispatcher'
import { AppHost, allowOf, policyOf, readView, sandboxUrl, type View } from 'mcpwire/extensions/apps'
import type { CallToolResult, Tool } from 'mcpwire/types'
import type { Requests } from '../../protocol/requests.ts'
import type { ViewPermission, ViewState } from '../../protocol/state.ts'
import type { Connection } from '../connection/connection.ts'
import { createSecret } from '../http/sessions.ts'
import { BadRequest } from '../log/bad-request.ts'
import type { EventLog } from '../log/event-log.ts'
import { toProblem } from '../log/problem.ts'

const MAX_VIEWS = 8
const MAX_MESSAGE_BYTES = 1024 * 1024
const MAX_MESSAGES_PER_SECOND = 100
const MAX_TOOLS = 5_000
const MAX_BLOCKED = 50
const MAX_LINKS = 10

interface Shown {
  state: ViewState
  /** The path of its frame. Nobody guesses it, so that reports to it are of the browser that shows the view. */
  readonly path: string
  readonly connection: Connection
  readonly host: AppHost
  readonly receive: (message: unknown) => void
}

export interface OpenView {
  /** Whose result the view gets. */
  readonly call: string | undefined
  readonly theme: 'light' | 'dark'
  /** What the user allows; `undefined` before they were asked. */
  readonly permissions: readonly string[] | undefined
}

export interface ViewsOptions {
  readonly log: EventLog
  readonly onChange: () => void
  readonly sandboxOrigin: () => string
  /** The result of a finished call, as JSON. */
  readonly resultOf: (call: string) => { args: Record<string, unknown>; result: string | undefined } | undefined
}

export class Views {
  readonly #shown = new Map<string, Shown>()
  readonly #options: ViewsOptions
  #count = 0

  constructor(options: ViewsOptions) {
    this.#options = options
  }

  get states(): ViewState[] {
    return [...this.#shown.values()].map(({ state }) => state)
  }

  /**
   * Reads the view of a tool and prepares its host. The page then shows the frame at the URL of the state. A view that declares
   * permissions is not opened before the user has said which of them it gets.
   */
  async open(connection: Connection, name: string, options: OpenView): Promise<Requests['view']['answer']> {
    const { call, theme, permissions: allowed } = options
    const { client } = connection
    const tool = await findTool(connection, name)
    const declared = await readView(client, tool)
    const asked = Object.keys(declared.permissions) as ViewPermission[]
    if (asked.length > 0 && allowed === undefined) return { asks: asked }
    const permissions = Object.fromEntries(asked.filter((one) => allowed?.includes(one)).map((one) => [one, {}]))
    const view = { ...declared, permissions }
    this.#count += 1
    const id = `view${this.#count}`
    const channel = this.#channel(id, connection.id)
    const host = new AppHost(channel, {
      client,
      view,
      context: { theme, locale: 'en-US', displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] },
      onSize: ({ height }) => this.#set(id, height === undefined ? {} : { height }),
      onDisplayMode: (mode) => {
        this.#set(id, { displayMode: mode })
        return mode
      },
      onCloseRequest: () => void this.close(id),
      onOpenLink: (url) => this.#offerLink(id, String(url)),
      onLog: ({ level, data }) =>
        this.#note(connection.id, level, typeof data === 'string' ? data : JSON.stringify(data)),
      onMessage: (message) => this.#note(connection.id, 'info', `The view sends a message: ${JSON.stringify(message)}`),
      onModelContext: (context) =>
        this.#note(connection.id, 'info', `The view tells the model: ${JSON.stringify(context)}`),
      onFault: ({ message }) => this.#note(connection.id, 'warning', `View: ${message}`),
    })
    const path = `${id}-${createSecret()}`
    this.#shown.set(id, {
      state: this.#describe({ id, path, tool: name }, connection, view),
      path,
      connection,
      host,
      receive: channel.receive,
    })
    host.ready.then(
      () => this.#set(id, { status: 'ready', ...(host.appInfo && { name: host.appInfo.name }) }),
      () => this.#set(id, { status: 'closed' }),
    )
    this.#sendCall(host, call)
    void this.#dropOld()
    this.#options.onChange()
    return { view: id }
  }

  /** A message of the frame. */
  receive(id: string, message: unknown): void {
    const shown = this.#find(id)
    this.#options.log.add({
      type: 'view',
      connection: shown.connection.id,
      view: id,
      direction: 'from-view',
      body: JSON.stringify(message),
    })
    shown.receive(message)
  }

  setContext(id: string, context: Record<string, unknown>): void {
    try {
      this.#find(id).host.sendContext(context)
    } catch (error) {
      if (error instanceof BadRequest) throw error
      throw new BadRequest(toProblem(error).message)
    }
  }

  /** A report of the browser, to the path of a view. A view can read that path, so the number is bounded and the text shown as text. */
  block(path: string, what: string): void {
    const state = [...this.#shown.values()].find((shown) => shown.path === path)?.state
    if (state === undefined) return
    const { id, blocked } = state
    if (blocked.length >= MAX_BLOCKED || blocked.includes(what)) return
    this.#set(id, { blocked: [...blocked, what.slice(0, 300)] })
  }

  /** The user sees the address and opens it, or does not. */
  #offerLink(id: string, url: string): boolean {
    const links = this.#shown.get(id)?.state.links ?? []
    if (links.includes(url)) return true
    if (links.length >= MAX_LINKS) return false
    this.#set(id, { links: [...links, url] })
    return true
  }

  async close(id: string): Promise<void> {
    const shown = this.#shown.get(id)
    if (shown === undefined) return
    await shown.host.close('The inspector closed the view.')
    this.#shown.delete(id)
    this.#options.onChange()
  }

  async closeAll(connection?: string): Promise<void> {
    const ids = [...this.#shown].filter(([, shown]) => connection === undefined || shown.connection.id === connection)
    await Promise.all(ids.map(([id]) => this.close(id)))
  }

  #describe(given: { id: string; path: string; tool: string }, connection: Connection, view: View): ViewState {
    const { id, path, tool } = given
    return {
      id,
      connection: connection.id,
      tool,
      status: 'loading',
      // A path of its own, so that what its policy stops can be told from that of others.
      url: sandboxUrl(`${this.#options.sandboxOrigin()}/${path}`, view.csp),
      blocked: [],
      links: [],
      allow: allowOf(view.permissions),
      policy: policyOf(view.csp),
    }
  }

  #sendCall(host: AppHost, call: string | undefined): void {
    const found = call === undefined ? undefined : this.#options.resultOf(call)
    host.sendInput((found?.args ?? {}) as Parameters<AppHost['sendInput']>[0])
    if (found?.result !== undefined) host.sendResult(JSON.parse(found.result) as CallToolResult)
  }

  #channel(view: string, connection: string): Channel & { receive: (message: unknown) => void } {
    let receiver: Receiver | undefined
    let isClosed = false
    const gate = new Gate()
    return {
      start: (given) => {
        receiver = given
      },
      send: (message) => {
        this.#options.log.add({ type: 'view', connection, view, direction: 'to-view', body: JSON.stringify(message) })
        return undefined
      },
      close: () => {
        if (isClosed) return
        isClosed = true
        receiver?.closed()
      },
      receive: (message) => {
        if (isClosed) return
        gate.check(message)
        void receiver?.message(message)
      },
    }
  }

  #find(id: string): Shown {
    const shown = this.#shown.get(id)
    if (shown === undefined) throw new BadRequest('The view is closed.', { status: 404 })
    return shown
  }

  #set(id: string, change: Partial<ViewState>): void {
    const shown = this.#shown.get(id)
    if (shown === undefined) return
    shown.state = { ...shown.state, ...change }
    this.#options.onChange()
  }

  #note(connection: string, level: string, text: string): void {
    this.#options.log.add({ type: 'log', connection, source: 'client', level, text: text.slice(0, 16_384) })
  }

  async #dropOld(): Promise<void> {
    for (const id of [...this.#shown.keys()].slice(0, -MAX_VIEWS)) await this.close(id)
  }
}

/** A view can't be told to send less. What is too much is refused. */
class Gate {
  #second = 0
  #count = 0

  check(message: unknown): void {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#count = 0
    }
    this.#count += 1
    if (this.#count > MAX_MESSAGES_PER_SECOND) {
      throw new BadRequest(`A view may send ${MAX_MESSAGES_PER_SECOND} messages in a second.`, { status: 429 })
    }
    if (JSON.stringify(message).length > MAX_MESSAGE_BYTES) {
      throw new BadRequest(`A message of a view may have ${MAX_MESSAGE_BYTES} bytes.`, { status: 413 })
    }
  }
}

async function findTool({ client }: Connection, name: string): Promise<Tool> {
  let count = 0
  for await (const tool of client.tools()) {
    if (tool.name === name) return tool
    count += 1
    if (count >= MAX_TOOLS) break
  }
  throw new BadRequest(`The server has no tool ${JSON.stringify(name)}.`, { status: 404 })
}

// The apps of one server and the tools that show them: what belongs together is checked whichever is registered first.

import type { AppHandle, AppOptions, UiOption } from '../../../mcpserver/extensions/app-options.ts'
import type { MCPServerExtensionParts } from '../../../mcpserver/extensions/extension-parts.ts'
import type { ToolFacts, ToolOptionEffect } from '../../../mcpserver/extensions/tool-options.ts'
import type { MCPServer } from '../../../mcpserver/mcpserver.ts'
import { typeError } from '../../../primitives/help.ts'
import type { ToolUi } from '../../../types/extensions/apps.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'
import { checkApp, checkViewUri, domainsOf, resourceOf } from './app-definition.ts'
import { isForViewsOnly, readToolUi, showsViews, showUi } from './tool-ui.ts'

/** A tool with the option `ui`, as it was last registered. */
interface UiTool {
  readonly facts: ToolFacts
  readonly ui: ToolUi
  isReported: boolean
}

interface App {
  options: AppOptions
  isEnabled: () => boolean
}

type Report = (message: string) => void

export class ServerApps {
  readonly #apps = new Map<string, App>()
  readonly #tools = new Map<string, UiTool>()
  readonly #report: Report
  #isStarted = false

  constructor(report: Report) {
    this.#report = report
  }

  get parts(): MCPServerExtensionParts {
    return {
      settings: {},
      isDeclared: () => [...this.#apps.values()].some((app) => app.isEnabled()),
      start: () => this.#start(),
      app: (server, uri, options) => this.#add(server, uri, options),
      toolOptions: { ui: (value, tool) => this.#readUi(value, tool) },
      interceptToolCall: (_ctx, { name }, next) => {
        const tool = this.#tools.get(name)
        return tool === undefined || tool.isReported ? next() : next().then((result) => this.#look(tool, result))
      },
    }
  }

  #add(server: MCPServer, uri: string, options: AppOptions): AppHandle {
    checkViewUri('The uri of an app', uri)
    checkApp(uri, options)
    this.#checkTools(uri, options)
    const { read, ...rest } = resourceOf(uri, options)
    const resource = server.resource(uri, rest, read)
    const app: App = { options, isEnabled: () => resource.isEnabled }
    this.#apps.set(uri, app)
    const isHere = () => this.#apps.get(uri) === app
    return {
      key: uri,
      uri,
      get isEnabled() {
        return resource.isEnabled
      },
      update: (changes) => {
        const changed = { ...app.options, ...changes }
        checkApp(uri, changed)
        if (isHere()) this.#checkTools(uri, changed)
        resource.update(resourceOf(uri, changed))
        app.options = changed
      },
      disable: () => {
        if (isHere()) this.#checkUnused(uri, 'disabled')
        resource.disable()
      },
      enable: () => resource.enable(),
      remove: () => {
        if (!isHere()) return
        this.#checkUnused(uri, 'removed')
        this.#apps.delete(uri)
        resource.remove()
      },
    }
  }

  #readUi(value: UiOption, facts: ToolFacts): ToolOptionEffect {
    const { name, owner } = facts
    const ui = readToolUi(value, owner)
    const tool: UiTool = { facts, ui, isReported: false }
    if (ui.resourceUri !== undefined) {
      const app = this.#apps.get(ui.resourceUri)
      if (app !== undefined) checkPolicy(tool, ui.resourceUri, app.options)
      else if (this.#isStarted) throw missingView(tool, ui.resourceUri)
    }
    return {
      ...(isForViewsOnly(ui) && { isListedTo: showsViews }),
      listed: (listed) => {
        const shown = showUi(listed, ui, owner)
        this.#tools.set(name, tool)
        return shown
      },
    }
  }

  /** Spec apps, Resource discovery: the resource that a tool names exists. */
  #start(): { close(): void } {
    for (const tool of this.#tools.values()) {
      const { resourceUri } = tool.ui
      if (resourceUri === undefined || !tool.facts.isRegistered()) continue
      if (this.#apps.get(resourceUri)?.isEnabled() !== true) throw missingView(tool, resourceUri)
    }
    this.#isStarted = true
    return {
      close: () => {
        this.#isStarted = false
      },
    }
  }

  #checkTools(uri: string, options: AppOptions): void {
    for (const tool of this.#toolsOf(uri)) checkPolicy(tool, uri, options)
  }

  /** While clients are served, no tool may lose its view. */
  #checkUnused(uri: string, what: string): void {
    const [tool] = this.#isStarted ? this.#toolsOf(uri) : []
    if (tool === undefined) return
    throw typeError(
      'bad-view',
      `The app ${JSON.stringify(uri)} can't be ${what}: it is the view of ${tool.facts.owner}. Remove or update the tool first.`,
    )
  }

  #toolsOf(uri: string): UiTool[] {
    return [...this.#tools.values()].filter(({ facts, ui }) => ui.resourceUri === uri && facts.isRegistered())
  }

  /** Spec apps, Data passing: content is for the model, and for hosts without views. */
  #look<Result>(tool: UiTool, result: Result): Result {
    if (tool.ui.resourceUri !== undefined && tool.facts.isRegistered() && isEmpty(result)) {
      tool.isReported = true
      this.#report(
        `The ${tool.facts.owner} has a view and returned no content. Models, and hosts without views, see nothing of the result. ` +
          'Return text in content too, or use the option output.',
      )
    }
    return result
  }
}

/**
 * A tool with `openWorldHint: false` declares that it deals with nothing outside the server. A view that reaches other domains
 * would, in its name.
 */
function checkPolicy({ facts: { owner, annotations } }: UiTool, uri: string, options: AppOptions): void {
  const [domain] = annotations?.openWorldHint === false ? domainsOf(options) : []
  if (domain === undefined) return
  throw typeError(
    'bad-view',
    `The ${owner} declares openWorldHint: false, and its view ${JSON.stringify(uri)} reaches ${domain}. ` +
      'Remove the domain from the csp of the app, or the hint from the tool.',
  )
}

function missingView({ facts }: UiTool, uri: string): TypeError {
  const shown = JSON.stringify(uri)
  return typeError(
    'bad-view',
    `The ${facts.owner} has the view ${shown}, which is not registered. Add server.app(${shown}, { html }) before the server starts.`,
  )
}

/** Whether a finished result has nothing to read. */
function isEmpty(result: unknown): boolean {
  const { content, isError, resultType = 'complete' } = result as Partial<CallToolResult> & { resultType?: string }
  if (resultType !== 'complete' || isError === true || !Array.isArray(content)) return false
  return content.every((block) => block.type === 'text' && block.text.trim() === '')
}

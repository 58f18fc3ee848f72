// The options of an `AppHost`: what a host does for its views, and what it tells them of that.

import type { OnFault } from '../../../dispatcher/fault.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { typeError } from '../../../primitives/help.ts'
import { assertDuration, checkKeys, type KnownKeys } from '../../../primitives/options.ts'
import type {
  ContentKinds,
  DisplayMode,
  HostCapabilities,
  HostContext,
  ModelContext,
  ViewDownload,
  ViewMessage,
  ViewSize,
} from '../../../types/extensions/apps.ts'
import type { LoggingMessageNotificationParams } from '../../../types/features/logging.ts'
import type { ReadResourceResult } from '../../../types/features/resources.ts'
import type { Tool } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { Implementation } from '../../../types/protocol/metadata.ts'
import type { View } from './read-view.ts'

/** The part of a `Client` that views may use. */
export interface ViewServer {
  /** Yields the tools of the server. `Client` has it. */
  tools(): AsyncIterable<Tool>
  /** Calls a tool of the server. `Client` has it. */
  callTool(name: string, args?: object, options?: ViewCallOptions): Promise<unknown>
  /** Reads a resource of the server. `Client` has it. */
  readResource(uri: string, options?: { signal?: AbortSignal }): Promise<ReadResourceResult>
}

/** Options of a call that a view makes. */
export interface ViewCallOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined
  /** Called with each report of progress. */
  onProgress?: ((progress: { progress: number; total?: number; message?: string }) => void) | undefined
}

/** A tool call of a view. */
export interface ViewToolCall {
  /** The tool as the server lists it. */
  readonly tool: Tool
  /** The arguments that the view gave. */
  readonly arguments: JSONObject
}

/** A file that a view offers, with a name that is safe to save it under. */
export interface ViewFile {
  /** The name for the file, made safe for a file system. */
  readonly fileName: string
  /** The contents of the file, or a link to them. */
  readonly content: ViewDownload['contents'][number]
}

/** `false`, or a promise of it, refuses what the view asked for. Everything else, such as nothing at all, consents. */
type Consent = unknown

/** Options of `new AppHost()`: what a host lets a view do. */
export interface AppHostOptions {
  /** The client of the server that owns the view. Without it the view can't call tools or read resources. */
  client?: ViewServer | undefined
  /** What the sandbox page should show, from `readView()`. Not needed where the host shows the HTML itself. */
  view?: View | undefined
  /**
   * More words for the `sandbox` attribute of the view's frame, beside `allow-scripts`. With `allow-same-origin` the view shares
   * storage with every view of the same sandbox origin, and can change the sandbox page: use one origin for each server then.
   */
  sandbox?: readonly string[] | undefined
  /** Name and version of the host (default: this package). */
  hostInfo?: Implementation | undefined
  /** What the view knows about the host that shows it. */
  context?: HostContext | undefined
  /** Opens a link after the user confirms. Without it links are refused. */
  onOpenLink?: ((url: string) => Consent) | undefined
  /** Adds a message of the user to the conversation. Without it messages are refused. */
  onMessage?: ((message: ViewMessage) => Consent) | undefined
  /** Keeps what the model should know of the view. Replaces what the view sent before. */
  onModelContext?: ((context: ModelContext) => Consent) | undefined
  /** Switches to a display mode that view and host both have. Returns the mode that is in force then. */
  onDisplayMode?: ((mode: DisplayMode) => MaybePromise<DisplayMode>) | undefined
  /** Saves files after the user confirms. Without it downloads are refused. */
  onDownload?: ((files: readonly ViewFile[]) => Consent) | undefined
  /** Called before each tool call of the view, to log it and to refuse it. */
  onToolCall?: ((call: ViewToolCall) => Consent) | undefined
  /** Called when the content of the view has another size, at most once in 16 ms. */
  onSize?: ((size: ViewSize) => void) | undefined
  /** Called for log messages of the view, at most 100 in a second. */
  onLog?: ((params: LoggingMessageNotificationParams) => void) | undefined
  /** Called when the view asks to be closed, at most 10 times in a second. */
  onCloseRequest?: (() => void) | undefined
  /** Called for messages of the view that break the rules, and when others are dropped because they are too many. */
  onFault?: OnFault | undefined
  /** How long `close()` waits for the view (default: 1 s). */
  teardownMs?: number | undefined
}

export const APP_HOST_KEYS: KnownKeys<AppHostOptions> = {
  client: 'object',
  view: 'object',
  sandbox: 'array',
  hostInfo: 'object',
  context: 'object',
  onOpenLink: 'function',
  onMessage: 'function',
  onModelContext: 'function',
  onDisplayMode: 'function',
  onDownload: 'function',
  onToolCall: 'function',
  onSize: 'function',
  onLog: 'function',
  onCloseRequest: 'function',
  onFault: 'function',
  teardownMs: 'number',
}

/** What a host may add to the sandbox of a view. Words that let a view leave its frame are not among them. */
const SANDBOX_WORDS: ReadonlySet<string> = new Set([
  'allow-scripts',
  'allow-same-origin',
  'allow-forms',
  'allow-modals',
  'allow-downloads',
  'allow-popups',
  'allow-pointer-lock',
  'allow-orientation-lock',
  'allow-presentation',
])

/** Throws `TypeError` or `RangeError` for options that can't work. */
export function checkHostOptions(options: AppHostOptions): void {
  checkKeys('new AppHost()', options, APP_HOST_KEYS)
  if (options.teardownMs !== undefined) assertDuration('teardownMs', options.teardownMs)
  for (const word of options.sandbox ?? []) {
    if (!SANDBOX_WORDS.has(word)) {
      throw typeError(
        'wrong-option',
        `The option sandbox of new AppHost() has ${JSON.stringify(word)}. Use only: ${[...SANDBOX_WORDS].join(', ')}.`,
      )
    }
  }
}

const CONTENT: ContentKinds = { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} }

/** What the host declares to its view: what its options let it do. */
export function capabilitiesOf(options: AppHostOptions): HostCapabilities {
  const { client, view } = options
  return {
    ...(options.onOpenLink !== undefined && { openLinks: {} }),
    ...(options.onDownload !== undefined && { downloadFile: {} }),
    ...(client !== undefined && { serverTools: { listChanged: true }, serverResources: {} }),
    ...(options.onLog !== undefined && { logging: {} }),
    ...(options.onMessage !== undefined && { message: CONTENT }),
    ...(options.onModelContext !== undefined && { updateModelContext: { ...CONTENT, structuredContent: {} } }),
    ...(view !== undefined && { sandbox: { permissions: view.permissions, csp: view.csp } }),
  }
}

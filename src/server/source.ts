// Where the components of a server come from: the one interface that the kernel asks for what a server offers.
import type { MaybePromise } from '../primitives/async/promises.ts'
import type { ListPromptsResult, Prompt } from '../types/features/prompts.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  Resource,
  ResourceTemplate,
} from '../types/features/resources.ts'
import type { ListToolsResult, Tool } from '../types/features/tools.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import type { LegacyVersion } from '../types/protocol/versions.ts'
import type { HeaderAnnotation } from '../wire/headers/header-annotations.ts'
import type { RequestMethodsWith } from '../wire/methods.ts'
import type { ServerRequestContext } from './context.ts'
import type { SubscriptionEvent } from './subscriptions/subscriptions.ts'

/** A request that is answered with a page of a list. */
export type ListMethod = RequestMethodsWith<'paged'>

/** One page of a list of components. */
export type ListPage = ListToolsResult | ListResourcesResult | ListResourceTemplatesResult | ListPromptsResult

/** What a page of a list holds: a tool, a resource, a resource template or a prompt. */
export type Component = Tool | Resource | ResourceTemplate | Prompt

/** What a source offers to one caller. What is absent, the server fills in from its own options. */
export interface SourceDescription {
  /** Added to what the server's own handlers offer; the `capabilities` option of the server goes over both. */
  readonly capabilities?: ServerCapabilities
  /** Used unless the server has `instructions` of its own. */
  readonly instructions?: string
  /** Sent in the place of the server's own name and version. */
  readonly info?: Implementation
  /** The settings of extensions, by identifier. */
  readonly extensions?: Readonly<Record<string, JSONObject>>
  /** The revision that a handshake agrees on, where the source speaks one only. Else the server chooses. */
  readonly protocolVersion?: LegacyVersion
  /** Further members of the result, such as `_meta` or those of other revisions, as they came from what the source stands for. */
  readonly further?: JSONObject
}

/**
 * Where the components of a server come from. Everything in and out is as on the wire, at the revision of `request`. Each
 * question is asked for one caller, and may be answered differently for another.
 */
export interface Source {
  /** Whether it runs the interceptors of tool calls itself, once a call has passed its checks. Else they run around `handle`. */
  readonly interceptsToolCalls?: boolean
  /** Whether it answers methods that neither the specification nor the author has (default: they do not exist). */
  readonly takesVendorMethods?: boolean
  /** Whether it changes no result in place, so that what a proxy behind it answers can cross as the text that it came as. */
  readonly keepsResults?: boolean
  /**
   * What it offers to this caller; asked for `initialize` and `server/discover`. May open what it stands for. With `initialize`
   * the client describes itself in `request.params`: nothing is agreed yet.
   */
  describe(request: ServerRequestContext): MaybePromise<SourceDescription>
  /** One page of a list: the first one, or the one that `cursor` asks for. */
  list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage>
  /**
   * Answers any request that was found to belong here. `params` have the source's own names. `resources/subscribe` asks whether
   * the caller may watch a resource: the error of a missing resource means that it must not know of it and hears nothing; any
   * other error is the answer.
   */
  handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject>
  /**
   * One component as `list` shows it to this caller, by its name, its uri or the text of its template; `undefined` where the caller
   * has none of that name. A source without this function is listed instead.
   */
  find?(list: ListMethod, key: string, request: ServerRequestContext): MaybePromise<Component | undefined>
  /** The names, uris or template texts of a list, whoever may see them, where they are known without waiting. */
  keys?(list: ListMethod): readonly string[] | undefined
  /** The name before it was cut to a length: a server that mounts this one cuts the whole name, once. */
  fullName?(list: ListMethod, name: string): string | undefined
  /** Gets the notifications that the server has no handler for. */
  notify?(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<void>
  /**
   * Header annotations of a tool, where they are known without waiting; `undefined` for a tool that does not exist for this
   * caller, so that no error about headers shows that it does for others.
   */
  mirrored?(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined
  /** Tells of changes, until the function in return is called. `request` says for whom, where that matters. */
  watch(listener: (event: SubscriptionEvent) => void, request?: ServerRequestContext): () => void
  /** Keeps open what tells this caller of changes, until the function in return is called: for a client that listens. */
  hold?(request: ServerRequestContext): MaybePromise<(() => void) | undefined>
  /** Called when the server closes. The server may be served again afterwards. */
  close?(): Promise<void>
}

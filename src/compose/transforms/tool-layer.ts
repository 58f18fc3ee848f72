// A layer with tools of its own, beside or in place of those behind it.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { extrasOf, type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../../server/source.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { itemsOf, restOfPages } from '../sources/lists.ts'
import { PreparedPages } from '../sources/prepared-pages.ts'
import { isMethodMissing } from '../sources/unknown.ts'
import { findComponent, wholeList } from '../sources/whole-list.ts'
import { isPassing, listThrough } from './call-through.ts'
import { type ExpectedNames, expectNames } from './expected-names.ts'
import { Layer } from './layer.ts'

/** A tool of a transform: as it is listed, and what it does. */
export interface LayerTool {
  readonly tool: Tool
  readonly run: (args: JSONObject, request: ServerRequestContext, params: JSONObject) => MaybePromise<JSONObject>
}

export abstract class ToolLayer extends Layer {
  readonly #pages = new PreparedPages()
  /** Pages that lack some of the tools behind. */
  readonly #short = new WeakSet<ListPage>()
  readonly #kept: ExpectedNames | undefined

  /** `keep` names tools that stay in the list. */
  constructor(inner: Source, owner = '', keep: Iterable<string> = []) {
    super(inner)
    this.#kept = expectNames(owner, inner, [...keep], ['tools/list'])
  }

  /** The names that its own tools can have. */
  protected abstract readonly ownNames: ReadonlySet<string>

  /** Its own tools for this caller, by name, where `tools` are behind it; and which of those stay. */
  protected abstract offer(tools: readonly Tool[]): {
    own: ReadonlyMap<string, LayerTool>
    stays: (name: string) => boolean
  }

  override describe(request: ServerRequestContext): MaybePromise<SourceDescription> {
    return whenDone(this.inner.describe(request), (description) => ({
      ...description,
      capabilities: { tools: {}, ...description.capabilities },
    }))
  }

  override list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    if (list !== 'tools/list' || cursor !== undefined || isPassing(this, request))
      return this.inner.list(list, request, cursor)
    return whenDone(listedOrEmpty(this.inner, request), (pages) => {
      for (const page of pages) this.#kept?.see(list, page, request, this.inner)
      const page = this.#pages.get(pages, '', () => {
        const tools = toolsOf(pages)
        const { own, stays } = this.offer(tools)
        const shown = tools.filter(({ name }) => stays(name) && !own.has(name))
        const made = Object.freeze({
          ...restOfPages('tools/list', pages),
          tools: Object.freeze([...[...own.values()].map(({ tool }) => tool), ...shown]),
        }) as unknown as ListPage
        serverOfRequest(request).prepared.add(made)
        if (shown.length < tools.length) this.#short.add(made)
        return made
      })
      if (this.#short.has(page)) extrasOf(request).isShortened = true
      return page
    })
  }

  override find(list: ListMethod, key: string, request: ServerRequestContext): MaybePromise<Component | undefined> {
    if (list !== 'tools/list' || isPassing(this, request)) return super.find(list, key, request)
    return whenDone(this.offerTo(request), ({ own, stays }) => {
      const mine = own.get(key)
      if (mine !== undefined) return mine.tool
      return stays(key) ? findComponent(this.inner, 'tools/list', key, request) : undefined
    })
  }

  override keys(list: ListMethod): readonly string[] | undefined {
    const keys = this.inner.keys?.(list)
    return list === 'tools/list' && keys !== undefined ? [...new Set([...this.ownNames, ...keys])] : keys
  }

  override handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject> {
    const isOwn = method === 'tools/call' && this.ownNames.has(params['name'] as string)
    if (!isOwn || isPassing(this, request)) {
      return this.inner.handle(request, method, params)
    }
    return whenDone(this.offerTo(request), ({ own }) => {
      const mine = own.get(params['name'] as string)
      return mine === undefined
        ? this.inner.handle(request, method, params)
        : mine.run((params['arguments'] ?? {}) as JSONObject, request, params)
    })
  }

  override mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    return this.inner.mirrored?.(tool, request)
  }

  /** The tools that its own tools reach for this caller, under the names that the caller knows. */
  protected tools(request: ServerRequestContext): MaybePromise<readonly Tool[]> {
    return whenDone(listThrough(this, request, 'tools/list'), toolsOf)
  }

  protected offerTo(request: ServerRequestContext) {
    return whenDone(listedOrEmpty(this.inner, request), (pages) => this.offer(toolsOf(pages)))
  }
}

function toolsOf(pages: readonly ListPage[]): readonly Tool[] {
  return pages.flatMap((page) => itemsOf('tools/list', page) as readonly Tool[])
}

const EMPTY: readonly ListPage[] = [Object.freeze({ tools: Object.freeze([]) as never[] })]

function listedOrEmpty(source: Source, request: ServerRequestContext): MaybePromise<readonly ListPage[]> {
  const none = (error: unknown): readonly ListPage[] => {
    if (isMethodMissing(error)) return EMPTY
    throw error
  }
  try {
    const pages = wholeList(source, 'tools/list', request)
    return pages instanceof Promise ? pages.catch(none) : pages
  } catch (error) {
    return none(error)
  }
}

// A source in front of another one, which passes everything on. Transforms change some of it.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../../server/source.ts'
import type { SubscriptionListener } from '../../server/subscriptions/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { type KnowsComponents, knownComponent } from '../sources/known.ts'
import type { ComponentList } from '../sources/lists.ts'
import { findComponent } from '../sources/whole-list.ts'

export class Layer implements Source, KnowsComponents {
  protected inner: Source
  readonly interceptsToolCalls: boolean
  readonly takesVendorMethods: boolean
  readonly keepsResults = true

  constructor(inner: Source) {
    this.inner = inner
    this.interceptsToolCalls = inner.interceptsToolCalls === true
    this.takesVendorMethods = inner.takesVendorMethods === true
  }

  describe(request: ServerRequestContext): MaybePromise<SourceDescription> {
    return this.inner.describe(request)
  }

  list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    return this.inner.list(list, request, cursor)
  }

  handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject> {
    return this.inner.handle(request, method, params)
  }

  find(list: ListMethod, key: string, request: ServerRequestContext): MaybePromise<Component | undefined> {
    return findComponent(this.inner, list as ComponentList, key, request)
  }

  keys(list: ListMethod): readonly string[] | undefined {
    return this.inner.keys?.(list)
  }

  known(list: ListMethod, key: string): Component | undefined {
    return knownComponent(this.inner, list, key)
  }

  fullName(list: ListMethod, name: string): string | undefined {
    return this.inner.fullName?.(list, name)
  }

  async notify(request: ServerRequestContext, method: string, params: JSONObject): Promise<void> {
    await this.inner.notify?.(request, method, params)
  }

  mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    return this.inner.mirrored?.(tool, request)
  }

  watch(listener: SubscriptionListener, request?: ServerRequestContext): () => void {
    return this.inner.watch(listener, request)
  }

  hold(request: ServerRequestContext): MaybePromise<(() => void) | undefined> {
    return this.inner.hold?.(request)
  }

  async close(): Promise<void> {
    await this.inner.close?.()
  }
}

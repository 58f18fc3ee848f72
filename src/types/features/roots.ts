// Roots: the folders that a client lets a server work in.
import type { NotificationParams, PlainResult, RequestParams } from '../protocol/base.ts'
import type { MetaObject } from '../protocol/meta.ts'

/** @deprecated Roots are deprecated since 2026-07-28. */
export interface Root {
  /** Begins with `file://`. */
  uri: string
  name?: string
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/**
 * Up to 2025-11-25 a request of the server; since 2026-07-28 an input request.
 * @deprecated Roots are deprecated since 2026-07-28.
 */
export interface ListRootsRequest {
  method: 'roots/list'
  params?: RequestParams
}

/** @deprecated Roots are deprecated since 2026-07-28. */
export type ListRootsResult = PlainResult & {
  roots: Root[]
}

/**
 * Until 2025-11-25.
 * @deprecated Roots are deprecated since 2026-07-28.
 */
export interface RootsListChangedNotification {
  method: 'notifications/roots/list_changed'
  params?: NotificationParams
}

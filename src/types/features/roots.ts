// Roots: the folders that a client lets a server work in.
import type { NotificationParams, PlainResult, RequestParams } from '../protocol/base.ts'
import type { MetaObject } from '../protocol/meta.ts'

/**
 * A folder or file that the server may work in. The server has to respect it by itself.
 * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
 */
export interface Root {
  /** Begins with `file://`. */
  uri: string
  /** A name for people. */
  name?: string
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/**
 * Up to 2025-11-25 a request of the server; since 2026-07-28 an input request.
 * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
 */
export interface ListRootsRequest {
  /** `roots/list` returns the roots of the client. */
  method: 'roots/list'
  /** Holds `_meta` only. */
  params?: RequestParams
}

/**
 * The roots of a client.
 * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
 */
export type ListRootsResult = PlainResult & {
  /** The roots. Empty if the server may work nowhere. */
  roots: Root[]
}

/**
 * Until 2025-11-25.
 * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
 */
export interface RootsListChangedNotification {
  /** `notifications/roots/list_changed` announces that the roots have changed. */
  method: 'notifications/roots/list_changed'
  /** Holds `_meta` only. */
  params?: NotificationParams
}

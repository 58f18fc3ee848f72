// Resources: what a server lets its clients read.

import type {
  CacheableResult,
  NotificationParams,
  PaginatedRequestParams,
  PaginatedResult,
  RequestParams,
} from '../protocol/base.ts'
import type { MetaObject } from '../protocol/meta.ts'
import type { BaseMetadata, Icons } from '../protocol/metadata.ts'
import type { Annotations } from './content.ts'
import type { InputResponseRequestParams } from './input-required.ts'

/** A resource in the answer to `resources/list`: its address and what it contains. */
export interface Resource extends BaseMetadata, Icons {
  /** The address of the resource, such as `file:///notes.txt`. Pass it to `readResource`. */
  uri: string
  /** What the resource contains, for the model and for people. */
  description?: string
  /** The format of the contents, such as `text/markdown`. Left out if it is not known. */
  mimeType?: string
  /** Who the text is for and how important it is. Hosts may use it to choose what to show. */
  annotations?: Annotations
  /** In bytes, before any base64. */
  size?: number
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** A family of resources in the answer to `resources/templates/list`. Fill in the variables to get a URI. */
export interface ResourceTemplate extends BaseMetadata, Icons {
  /** RFC 6570. */
  uriTemplate: string
  /** What these resources contain, for the model and for people. */
  description?: string
  /** Only where all resources of the template have the same. */
  mimeType?: string
  /** Who these resources are for and how important they are. */
  annotations?: Annotations
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** What text and binary contents have in common. */
export interface ResourceContents {
  uri: string
  mimeType?: string
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

export interface TextResourceContents extends ResourceContents {
  text: string
}

export interface BlobResourceContents extends ResourceContents {
  /** Base64. */
  blob: string
}

export interface ListResourcesRequest {
  method: 'resources/list'
  params?: PaginatedRequestParams
}

export type ListResourcesResult = PaginatedResult &
  CacheableResult & {
    /** The resources of this page. */
    resources: Resource[]
  }

export interface ListResourceTemplatesRequest {
  method: 'resources/templates/list'
  params?: PaginatedRequestParams
}

export type ListResourceTemplatesResult = PaginatedResult &
  CacheableResult & {
    /** The resource templates of this page. */
    resourceTemplates: ResourceTemplate[]
  }

/** Params of every request about one resource. */
export type ResourceRequestParams = RequestParams & {
  uri: string
}

export type ReadResourceRequestParams = ResourceRequestParams & InputResponseRequestParams

export interface ReadResourceRequest {
  method: 'resources/read'
  params: ReadResourceRequestParams
}

/** The answer to `resources/read`. */
export type ReadResourceResult = CacheableResult & {
  /** The contents. A folder may answer with several parts, each with its own `uri`. */
  contents: (TextResourceContents | BlobResourceContents)[]
}

/** Until 2025-11-25. */
export type SubscribeRequestParams = ResourceRequestParams

/** Until 2025-11-25; `subscriptions/listen` takes its place. */
export interface SubscribeRequest {
  method: 'resources/subscribe'
  params: SubscribeRequestParams
}

/** Until 2025-11-25. */
export type UnsubscribeRequestParams = ResourceRequestParams

/** Until 2025-11-25. */
export interface UnsubscribeRequest {
  method: 'resources/unsubscribe'
  params: UnsubscribeRequestParams
}

export interface ResourceListChangedNotification {
  /** Names the notification: the list of resources has changed. */
  method: 'notifications/resources/list_changed'
  /** Holds `_meta` only. */
  params?: NotificationParams
}

export type ResourceUpdatedNotificationParams = NotificationParams & {
  /** May lie below the resource that is watched. */
  uri: string
}

export interface ResourceUpdatedNotification {
  /** Names the notification: a resource has changed. */
  method: 'notifications/resources/updated'
  /** Which resource has changed. */
  params: ResourceUpdatedNotificationParams
}

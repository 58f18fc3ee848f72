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

export interface Resource extends BaseMetadata, Icons {
  uri: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  /** In bytes, before any base64. */
  size?: number
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

export interface ResourceTemplate extends BaseMetadata, Icons {
  /** RFC 6570. */
  uriTemplate: string
  description?: string
  /** Only where all resources of the template have the same. */
  mimeType?: string
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
    resources: Resource[]
  }

export interface ListResourceTemplatesRequest {
  method: 'resources/templates/list'
  params?: PaginatedRequestParams
}

export type ListResourceTemplatesResult = PaginatedResult &
  CacheableResult & {
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

export type ReadResourceResult = CacheableResult & {
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
  method: 'notifications/resources/list_changed'
  params?: NotificationParams
}

export type ResourceUpdatedNotificationParams = NotificationParams & {
  /** May lie below the resource that is watched. */
  uri: string
}

export interface ResourceUpdatedNotification {
  method: 'notifications/resources/updated'
  params: ResourceUpdatedNotificationParams
}

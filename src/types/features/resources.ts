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
  /** The address of what was read. It may be below the address that was requested. */
  uri: string
  /** The format of the contents, such as `text/markdown`. Left out if it is not known. */
  mimeType?: string
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** The contents of a resource as text. */
export interface TextResourceContents extends ResourceContents {
  /** The text itself. */
  text: string
}

/** The contents of a resource as bytes. */
export interface BlobResourceContents extends ResourceContents {
  /** Base64. */
  blob: string
}

/** Requests one page of resources. */
export interface ListResourcesRequest {
  /** `resources/list` returns the resources of a server, page by page. */
  method: 'resources/list'
  /** Which page. */
  params?: PaginatedRequestParams
}

/** One page of resources. */
export type ListResourcesResult = PaginatedResult &
  CacheableResult & {
    /** The resources of this page. */
    resources: Resource[]
  }

/** Requests one page of resource templates. */
export interface ListResourceTemplatesRequest {
  /** `resources/templates/list` returns the resource templates of a server, page by page. */
  method: 'resources/templates/list'
  /** Which page. */
  params?: PaginatedRequestParams
}

/** One page of resource templates. */
export type ListResourceTemplatesResult = PaginatedResult &
  CacheableResult & {
    /** The resource templates of this page. */
    resourceTemplates: ResourceTemplate[]
  }

/** Params of every request about one resource. */
export type ResourceRequestParams = RequestParams & {
  /** The address of the resource. */
  uri: string
}

/** Which resource to read, with answers if the server had asked something. */
export type ReadResourceRequestParams = ResourceRequestParams & InputResponseRequestParams

/** Requests the contents of a resource. */
export interface ReadResourceRequest {
  /** `resources/read` returns the contents of a resource. */
  method: 'resources/read'
  /** Which resource. */
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
  /** `resources/subscribe` starts updates of a resource. */
  method: 'resources/subscribe'
  /** Which resource. */
  params: SubscribeRequestParams
}

/** Until 2025-11-25. */
export type UnsubscribeRequestParams = ResourceRequestParams

/** Until 2025-11-25. */
export interface UnsubscribeRequest {
  /** `resources/unsubscribe` stops updates of a resource. */
  method: 'resources/unsubscribe'
  /** Which resource. */
  params: UnsubscribeRequestParams
}

/** Announces that the list of resources has changed. */
export interface ResourceListChangedNotification {
  /** Names the notification: the list of resources has changed. */
  method: 'notifications/resources/list_changed'
  /** Holds `_meta` only. */
  params?: NotificationParams
}

/** Which resource has changed. */
export type ResourceUpdatedNotificationParams = NotificationParams & {
  /** May lie below the resource that is watched. */
  uri: string
}

/** Announces that a resource has changed. Read it again to see how. */
export interface ResourceUpdatedNotification {
  /** Names the notification: a resource has changed. */
  method: 'notifications/resources/updated'
  /** Which resource has changed. */
  params: ResourceUpdatedNotificationParams
}

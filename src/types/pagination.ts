// Long lists in pages.
import type { FinishedResult, RequestParams } from './base.ts'

/** Opaque: not to be read, made or changed. The empty string is a cursor like any other. */
export type Cursor = string

export type PaginatedRequestParams = RequestParams & {
  /** Where the page before said to go on; absent for the first page. */
  cursor?: Cursor
}

export interface PaginatedRequest {
  method: string
  params?: PaginatedRequestParams
}

export type PaginatedResult = FinishedResult & {
  /** Absent on the last page, and only there. */
  nextCursor?: Cursor
}

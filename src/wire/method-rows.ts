// Rows of the method table, found by name, revision and sender, or by a fact.
import { isVersionAtLeast, PROTOCOL_VERSIONS, type ProtocolVersion } from '../types/protocol/versions.ts'
import {
  type Change,
  type MethodRow,
  NOTIFICATIONS,
  type NotificationMethod,
  type NotificationRow,
  REQUESTS,
  type RequestMethod,
  type RequestMethodsWith,
  type RequestRow,
  type Sender,
} from './methods.ts'

const REQUESTS_BY_NAME: ReadonlyMap<string, RequestRow> = new Map(Object.entries(REQUESTS))
const NOTIFICATIONS_BY_NAME: ReadonlyMap<string, NotificationRow> = new Map(Object.entries(NOTIFICATIONS))

/** Whether any revision defines this method. All others are somebody's extension. */
export function isSpecMethod(method: string): method is RequestMethod | NotificationMethod {
  return REQUESTS_BY_NAME.has(method) || NOTIFICATIONS_BY_NAME.has(method)
}

/** What is true of a request in whichever revision has it; `undefined` for a method of an extension. */
export function requestFacts(method: string): RequestRow | undefined {
  return REQUESTS_BY_NAME.get(method)
}

/** As `requestFacts`, for a notification. */
export function notificationFacts(method: string): NotificationRow | undefined {
  return NOTIFICATIONS_BY_NAME.get(method)
}

/** The requests that have this fact in their row, in the order of the table. */
export function requestsWith<Fact extends keyof RequestRow>(fact: Fact): readonly RequestMethodsWith<Fact>[] {
  const rows = Object.entries<RequestRow>(REQUESTS)
  return rows.filter(([, row]) => row[fact] !== undefined).map(([method]) => method as RequestMethodsWith<Fact>)
}

/** The notification that announces a change, with its row. */
interface ChangeNotificationRow extends NotificationRow {
  readonly method: NotificationMethod
  readonly change: Change
  readonly capability: NonNullable<NotificationRow['capability']>
  readonly invalidates: readonly RequestMethod[]
}

export type ListChange = Exclude<Change, 'resourceUpdated'>

/** By change. */
export const CHANGE_NOTIFICATIONS = Object.fromEntries(
  Object.entries<NotificationRow>(NOTIFICATIONS).flatMap(([method, row]) =>
    row.change === undefined ? [] : [[row.change, { ...row, method }]],
  ),
) as unknown as Readonly<Record<Change, ChangeNotificationRow>>

/** The changes of a list, in the order of the table; the one left out is that of a single resource. */
export const LIST_CHANGES = Object.keys(CHANGE_NOTIFICATIONS).filter(
  (change) => change !== 'resourceUpdated',
) as readonly ListChange[]

/** The rows of one kind, by sender and then by revision: each call looks here several times, so this is worked out once. */
type Rows<R> = ReadonlyMap<string, ReadonlyMap<string, R>>

const requestRows: Partial<Record<Sender, Rows<RequestRow>>> = {}
const notificationRows: Partial<Record<Sender, Rows<NotificationRow>>> = {}

function sortOut<R extends MethodRow>(
  table: Readonly<Record<string, R>>,
  from: Sender,
  isIn: (row: R, version: ProtocolVersion, from: Sender) => boolean,
): Rows<R> {
  const rows = Object.entries(table)
  const at = (version: ProtocolVersion) =>
    new Map(rows.filter(([, row]) => isSentBy(row, from) && isIn(row, version, from)))
  return new Map(PROTOCOL_VERSIONS.map((version) => [version, at(version)]))
}

/** The row of a request; `undefined` where the revision does not have it, or not from this side. */
export function requestRow(method: string, version: ProtocolVersion, from: Sender): RequestRow | undefined {
  requestRows[from] ??= sortOut<RequestRow>(REQUESTS, from, exists)
  return requestRows[from].get(version)?.get(method)
}

/** The row of a notification; `undefined` where the revision does not have it, or not from this side. */
export function notificationRow(method: string, version: ProtocolVersion, from: Sender): NotificationRow | undefined {
  notificationRows[from] ??= sortOut<NotificationRow>(NOTIFICATIONS, from, isSentAt)
  return notificationRows[from].get(version)?.get(method)
}

/** The row of a request that may stand in an `InputRequiredResult` of this revision. */
export function inputRequestRow(method: string, version: ProtocolVersion): RequestRow | undefined {
  const row = requestFacts(method)
  const since = row?.asInputSince
  return since !== undefined && isVersionAtLeast(version, since) ? row : undefined
}

function exists({ since, until }: MethodRow, version: ProtocolVersion): boolean {
  if (since !== undefined && !isVersionAtLeast(version, since)) return false
  return until === undefined || !isVersionAtLeast(version, until)
}

function isSentAt(row: NotificationRow, version: ProtocolVersion, from: Sender): boolean {
  const { fromClientUntil } = row
  const isOver = from === 'client' && fromClientUntil !== undefined && isVersionAtLeast(version, fromClientUntil)
  return exists(row, version) && !isOver
}

function isSentBy(row: MethodRow, from: Sender): boolean {
  return row.from === 'both' || row.from === from
}

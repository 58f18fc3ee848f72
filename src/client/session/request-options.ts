// The arguments of one request: its options, how a call is typed by its method, and the error for a wrong first argument.

import type { CallOptions } from '../../dispatcher/dispatcher.ts'
import { typeError } from '../../primitives/help.ts'
import type { InputResponses } from '../../types/features/input-required.ts'
import type { Cursor } from '../../types/protocol/base.ts'
import type { RequestMetaObject } from '../../types/protocol/meta.ts'
import type {
  ClientNotificationParamsByMethod,
  ClientRequestParamsByMethod,
  ClientRequestResultByMethod,
} from '../../types/protocol/methods.ts'
import type { LegacyVersion } from '../../types/protocol/versions.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import type { CallerEnvelope } from './era.ts'

/** Options of any request. `timeoutMs` defaults to the session's, else to 60 s, and to 300 s for `tools/call`. */
export interface RequestOptions extends Omit<CallOptions, 'wantsProgress' | 'ownsParams'> {
  /** Added to `_meta`. Keys that the protocol sets win, except the log level, which applies to this request. */
  meta?: RequestMetaObject | undefined
}

/** Options of the handshake. */
export interface InitializeOptions extends RequestOptions {
  /** The only revision to accept. By default the newest legacy revision is offered and every other legacy one accepted. */
  protocolVersion?: LegacyVersion | undefined
}

/** Options of a request that the specification does not define. */
export interface VendorRequestOptions extends RequestOptions {
  /** The member of `params` that HTTP repeats in the header `Mcp-Name`. Its value must be a string. */
  nameParam?: string | undefined
}

/** Options of `sendRaw()`. */
export interface RawRequestOptions extends Omit<CallOptions, 'ownsParams' | 'asGiven'> {
  /**
   * The client that the request is made for (modern revisions): its capabilities, identity and log level are sent in place of those of
   * this session. One session can so speak for many clients.
   */
  envelope?: CallerEnvelope | undefined
  /** The member of `params` that HTTP repeats in `Mcp-Name`, for methods that the specification does not define. */
  nameParam?: string | undefined
  /** The arguments of a tool that HTTP repeats in `Mcp-Param-…` (default: those of the listings that this session has read). */
  annotations?: readonly HeaderAnnotation[] | undefined
}

/** Options of a list request. */
export interface ListOptions extends RequestOptions {
  /** `nextCursor` of the page before. */
  cursor?: Cursor | undefined
}

/** Options of a request that the server may answer with questions. */
export interface InteractiveOptions extends RequestOptions {
  /** The answers to the questions of the round before. */
  inputResponses?: InputResponses | undefined
  /** The state of the round before, unchanged. */
  requestState?: string | undefined
  /** Return an `InputRequiredResult` instead of throwing (default: `false`). */
  allowInputRequired?: boolean | undefined
}

/** Options of a tool call. */
export interface CallToolOptions extends InteractiveOptions {
  /** Return a result that belongs to an extension instead of throwing `UnexpectedClaimedResult` (default: `false`). */
  allowClaimed?: boolean | undefined
}

export interface AllowInputRequired {
  allowInputRequired: true
}

export interface AllowClaimed {
  allowClaimed: true
}

/** Only a finished result is accepted. */
export interface FinishedOnly {
  allowInputRequired?: false | undefined
  allowClaimed?: false | undefined
}

/** Requests of the specification that a client sends. */
export type SpecRequestMethod = keyof ClientRequestResultByMethod

/** Notifications of the specification that a client sends. */
export type SpecNotificationMethod = keyof ClientNotificationParamsByMethod

/** A method that the specification does not define: a mistyped call of one that it defines does not match. */
export type VendorMethod<M extends string> = M extends SpecRequestMethod | SpecNotificationMethod ? never : M

/** The arguments after the method. `params` is optional where all its members are. */
export type SpecRequestArguments<M extends SpecRequestMethod> =
  Record<never, never> extends ClientRequestParamsByMethod[M]
    ? [params?: ClientRequestParamsByMethod[M], options?: RequestOptions]
    : [params: ClientRequestParamsByMethod[M], options?: RequestOptions]

const USAGE = {
  callTool: "the name of the tool first, then its arguments: callTool('add', { a: 1 })",
  readResource: "the URI of the resource first: readResource('file:///notes')",
  getPrompt: "the name of the prompt first, then its arguments: getPrompt('greet', { name: 'Ada' })",
} as const

/** For a call whose first argument is not the name or URI. Other SDKs take one object with everything in it. */
export function firstArgumentError(method: keyof typeof USAGE, given: unknown): TypeError {
  return typeError(
    'wrong-argument',
    `The first argument of ${method}() is not a string but ${typeof given}. Pass ${USAGE[method]}.`,
  )
}

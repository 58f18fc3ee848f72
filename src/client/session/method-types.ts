// How a call is typed by the name of its method.
import type {
  ClientNotificationParamsByMethod,
  ClientRequestParamsByMethod,
  ClientRequestResultByMethod,
} from '../../types/protocol/method-maps.ts'
import type { RequestOptions } from './request-options.ts'

/** Requests of the specification that a client sends. */
export type SpecRequestMethod = keyof ClientRequestResultByMethod

/** Notifications of the specification that a client sends. */
export type SpecNotificationMethod = keyof ClientNotificationParamsByMethod

/** A name that the specification does not use, so that a mistyped call of one of its methods does not pass for a vendor's. */
export type VendorMethod<M extends string> = M extends SpecRequestMethod | SpecNotificationMethod ? never : M

/** What follows the method: params can be left out where nothing in them is required. */
export type SpecRequestArguments<M extends SpecRequestMethod> =
  Record<never, never> extends ClientRequestParamsByMethod[M]
    ? [params?: ClientRequestParamsByMethod[M], options?: RequestOptions]
    : [params: ClientRequestParamsByMethod[M], options?: RequestOptions]

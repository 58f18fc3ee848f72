// The options of a gateway: those of each of its proxies, and what they have in common.
import type { NamingOptions } from '../../compose/composite/names.ts'
import { rangeError } from '../../primitives/help.ts'
import { assertDuration, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProxyCaller } from '../base/caller.ts'
import { checkProxyOptions, PROXY_KEYS, type ProxyOptions } from '../base/options.ts'

/** Options of `createGateway()`: those of each of its proxies, and what they have in common. */
export interface GatewayOptions extends ProxyOptions {
  /** How components are named: `files_read` for the tool `read` of `files`. */
  naming?: NamingOptions | undefined
  /** What becomes of a source that cannot be listed: `omit` leaves it out and reports it (default), `fail` fails the list. */
  onFailure?: 'omit' | 'fail' | undefined
  /**
   * How long each source may take for a list, in milliseconds (default: 10,000). All are asked at once. One that takes longer three times
   * in a row is not asked for that list for a second, then for twice as long each time, up to a minute.
   */
  listTimeoutMs?: number | undefined
  /** The name of the source that answers a method which names no component. `undefined` for none. */
  route?: ((method: string, params: JSONObject, caller: ProxyCaller) => string | undefined) | undefined
}

export const GATEWAY_KEYS: KnownKeys<GatewayOptions> = {
  ...PROXY_KEYS,
  naming: 'object',
  onFailure: true,
  listTimeoutMs: 'number',
  route: 'function',
}

/** Throws `TypeError` or `RangeError` for options that cannot work. */
export function checkGatewayOptions(options: GatewayOptions): void {
  checkKeys('createGateway()', options, GATEWAY_KEYS)
  const { naming: _naming, onFailure = 'omit', listTimeoutMs, route: _route, ...shared } = options
  checkProxyOptions('createGateway()', shared)
  if (onFailure !== 'omit' && onFailure !== 'fail')
    throw rangeError('wrong-option', `onFailure is ${JSON.stringify(onFailure)}. Use 'omit' or 'fail'.`)
  if (listTimeoutMs !== undefined) assertDuration('listTimeoutMs', listTimeoutMs)
}

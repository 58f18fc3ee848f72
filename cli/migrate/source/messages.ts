// Objects of messages and options that the SDK takes whole, and that are arguments here.
import type { Node, ObjectLiteralExpression } from 'ts-morph'
import type { Migration } from './migration.ts'
import { resolveObject } from './names.ts'
import { hasSpread, is, literalText, membersOf, memberValue, unwrap } from './nodes.ts'

export interface MessageParts {
  /** The method, where it can be read. */
  readonly method: string | undefined
  /** As they are written in the new call. */
  readonly methodText: () => string
  readonly paramsText: (() => string) | undefined
  readonly params: ObjectLiteralExpression | undefined
}

/** The parts of `{ method, params }`; of a variable, its members. */
export function readMessage(migration: Migration, message: Node): MessageParts | undefined {
  const object = unwrap(message)
  if (is(object, 'ObjectLiteralExpression') && !hasSpread(object)) {
    const members = membersOf(object)
    const method = memberValue(members.get('method'))
    const params = memberValue(members.get('params'))
    if (method === undefined) return undefined
    return {
      method: literalText(method),
      methodText: () => migration.text(method),
      paramsText: params === undefined ? undefined : () => migration.text(params),
      params: params === undefined ? undefined : resolveObject(params),
    }
  }
  if (!is(object, 'Identifier')) return undefined
  const resolved = resolveObject(object)
  const members = resolved === undefined ? undefined : membersOf(resolved)
  const params = memberValue(members?.get('params'))
  const name = object.getText()
  return {
    method: literalText(memberValue(members?.get('method'))),
    methodText: () => `${name}.method`,
    paramsText: () => `${name}.params`,
    params: params === undefined ? undefined : resolveObject(params),
  }
}

/** Options of a request by their names in the SDK and here; `''` has no counterpart and needs none. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  onprogress: 'onProgress',
  timeout: 'timeoutMs',
  maxTotalTimeout: 'maxTotalMs',
  resetTimeoutOnProgress: '',
  signal: 'signal',
  relatedRequestId: '',
}

/** The options of a request, with `more` members in front; `undefined` where there are none. */
export function requestOptions(
  migration: Migration,
  options: Node | undefined,
  more: readonly (() => string)[] = [],
): (() => string) | undefined {
  const own = options === undefined || options.getText() === 'undefined' ? undefined : unwrap(options)
  if (own === undefined) return more.length === 0 ? undefined : () => `{ ${more.map((one) => one()).join(', ')} }`
  if (!is(own, 'ObjectLiteralExpression')) {
    migration.mark(
      own,
      'request options',
      'rename the options: onprogress is onProgress, timeout is timeoutMs, maxTotalTimeout is maxTotalMs.',
    )
    return () =>
      more.length === 0 ? migration.text(own) : `{ ${more.map((one) => one()).join(', ')}, ...${migration.text(own)} }`
  }
  const parts: (() => string)[] = [...more]
  for (const property of own.getProperties()) {
    const name = (property as unknown as { getName?(): string }).getName?.()
    const renamed = name === undefined ? undefined : OPTION_NAMES[name]
    if (renamed === '') continue
    if (renamed === undefined && name !== undefined) {
      migration.mark(own, 'request options', `the option ${name} has no counterpart here. Remove it.`)
    }
    const value = memberValue(property)
    if (renamed === undefined || renamed === name || value === undefined) parts.push(() => migration.text(property))
    else parts.push(() => `${renamed}: ${migration.text(value)}`)
  }
  return parts.length === 0 ? undefined : () => `{ ${parts.map((part) => part()).join(', ')} }`
}

/** Arguments without those at the end that are not there. */
export function argumentList(parts: readonly ((() => string) | undefined)[]): string {
  const last = parts.findLastIndex((part) => part !== undefined)
  return parts
    .slice(0, last + 1)
    .map((part) => part?.() ?? 'undefined')
    .join(', ')
}

// The namespace: the first part of every key, so that servers on one Redis do not meet.

import { createHash } from 'node:crypto'
import { rangeError } from '../primitives/help.ts'

const NAMESPACE = /^[\w.-]{1,100}$/
const DIGEST_LENGTH = 12

export function checkNamespace(namespace: string): void {
  if (NAMESPACE.test(namespace)) return
  throw rangeError('wrong-option', 'namespace has 1 to 100 letters, digits and the characters - _ . only.')
}

/** Of a server's name, which may be any text. */
export function namespaceOf(name: string): string {
  if (NAMESPACE.test(name)) return name
  const slug = name.replace(/[^\w.-]+/g, '-').slice(0, 60)
  return `${slug}-${digestOf(name)}`
}

export function fingerprintOf(name: string): string {
  return digestOf(`server ${name}`)
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH)
}

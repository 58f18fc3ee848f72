// What lies beneath sealed records, for those who compare the secrets of several processes.
import type { Records } from './records.ts'

export interface Sealing {
  /** Where the sealed values are. What is put here can be read without a secret. */
  readonly records: Records
  /** Part of the name of every value: another one reads as another secret does. */
  readonly namespace: string
  /** Identify the keys in the order of the secrets, and reveal nothing about them: every sealed value begins with one. */
  keyIds(): Promise<readonly string[]>
}

/** Registered, so that a second copy of the package in the same process knows it too. */
export const SEALING = Symbol.for('mcpwire.sealing')

/** `undefined` for records that are not sealed. */
export function sealingOf(records: Records): Sealing | undefined {
  return (records as { readonly [SEALING]?: Sealing })[SEALING]
}

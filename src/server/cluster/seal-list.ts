// The secrets of nodes by their ids, and whether nodes with them can read what each other stores.
import type { Records } from '../../backend/records.ts'
import { sealingOf } from '../../backend/sealing.ts'
import { digestOf } from './digest.ts'
import { decodeObject, isNodeId } from './node-message.ts'

const ID_LENGTH = 12
const VERSION = 1

/** The ids of the secrets, the one that seals first. One list for each `sealed()`, the outermost first: none where nothing is sealed. */
export type SealList = readonly (readonly string[])[]

export interface ListedNode {
  readonly node: string
  readonly list: SealList
}

export const NOT_SEALED =
  'Other nodes in this namespace encrypt what they store, and this node has no `seal`. Give all nodes the same `seal`.'
const OTHERS_NOT_SEALED =
  'Other nodes in this namespace do not encrypt what they store, and this node has a `seal`. Give all nodes the same `seal`.'
const ORDER =
  'Give all nodes the same `seal`. To replace a secret, start all nodes with the new one at the end of `seal`, then all with the new one first, then all without the old one.'
export const THEY_CANNOT_READ = `This node encrypts with the first secret of its \`seal\`, which other nodes in this namespace do not have: they cannot read what it stores. ${ORDER}`
export const CANNOT_READ = `Other nodes in this namespace encrypt with a secret that is not in the \`seal\` of this node: it cannot read what they store. ${ORDER}`

/** The list of these records, and the records beneath, which every node can read. */
export async function sealListOf(records: Records): Promise<{ list: SealList; beneath: Records }> {
  const list: (readonly string[])[] = []
  let beneath = records
  for (let sealing = sealingOf(beneath); sealing !== undefined; sealing = sealingOf(beneath)) {
    const { namespace, records: inner } = sealing
    const keyIds = await sealing.keyIds()
    list.push(await Promise.all(keyIds.map(async (id) => (await digestOf(namespace, id)).slice(0, ID_LENGTH))))
    beneath = inner
  }
  return { list, beneath }
}

/** Why nodes with these lists must not run together; `undefined` where they can. Said to the one with `own`. */
export function problemBetween(own: SealList, other: SealList): string | undefined {
  if (own.length === 0 && other.length > 0) return NOT_SEALED
  if (own.length > 0 && other.length === 0) return OTHERS_NOT_SEALED
  if (!canRead(own, other)) return CANNOT_READ
  return canRead(other, own) ? undefined : THEY_CANNOT_READ
}

function canRead(reader: SealList, writer: SealList): boolean {
  return reader.length === writer.length && reader.every((ids, at) => ids.includes(writer[at]?.[0] ?? ''))
}

export function encodeListed(nodes: readonly ListedNode[]): string {
  return JSON.stringify({ v: VERSION, nodes: nodes.map(({ node, list }) => [node, list]) })
}

/** In the order in which they came. `undefined` for a text of another form. */
export function decodeListed(text: string): readonly ListedNode[] | undefined {
  const value = decodeObject(text)
  if (value?.['v'] !== VERSION || !Array.isArray(value['nodes'])) return undefined
  return value['nodes'].flatMap((entry): ListedNode[] => {
    const [node, list] = Array.isArray(entry) ? entry : []
    return isNodeId(node) && isSealList(list) ? [{ node, list }] : []
  })
}

function isSealList(value: unknown): value is SealList {
  return (
    Array.isArray(value) &&
    value.every((ids) => Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === 'string'))
  )
}

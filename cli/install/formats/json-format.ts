// Config files in JSON with comments.
import { editConfig } from './config-edit.ts'
import type { ConfigFormat, EntryChange, Members, ParsedConfig } from './config-format.ts'
import { type ConfigDocument, memberOf, type Node, parseConfig, serversUnder, toValue } from './config-text.ts'
import { changedLines } from './line-diff.ts'
import { maskEntry } from './secrets.ts'

export const json: ConfigFormat = {
  name: 'json',
  parse: (path, text) => wrap(parseConfig(path, text)),
}

function wrap(document: ConfigDocument): ParsedConfig {
  return {
    path: document.path,
    text: document.text,
    get value() {
      return toValue(document.root) as Members
    },
    serversUnder: (key) => {
      const servers = serversUnder(document, key)
      return servers && (toValue(servers) as Members)
    },
    change: (change) => wrap(editConfig(document, change.edits)),
    describe: (change) => {
      const after = editConfig(document, change.edits)
      return changedLines(maskText(document, change), maskText(after, change))
    },
  }
}

/** The text with `***` for every string that does not belong to the entry, and for the secrets of the entry. */
function maskText({ text, root }: ConfigDocument, { serversKey, name }: EntryChange): string {
  const entry = memberOf(memberOf(root, serversKey), name)
  const shown = entry && maskEntry(toValue(entry))
  const cuts: { start: number; end: number }[] = []
  const visit = (node: Node, visible: unknown) => {
    if (node === entry) visible = shown
    if (node.type === 'string') {
      if (visible !== node.value) cuts.push({ start: node.offset, end: node.offset + node.length })
      return
    }
    for (const [index, child] of (node.children ?? []).entries()) {
      const [key, value] = child.type === 'property' ? (child.children ?? []) : []
      if (key !== undefined && value !== undefined) visit(value, memberAt(visible, String(key.value)))
      else visit(child, memberAt(visible, index))
    }
  }
  visit(root, undefined)
  return cuts.reduceRight((masked, { start, end }) => `${masked.slice(0, start)}"***"${masked.slice(end)}`, text)
}

function memberAt(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined
}

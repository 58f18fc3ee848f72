// Spans as text: each below the one that it belongs to, with what describes it. Times and ids differ each time, so they are left out.

/** What collectors and SDKs add about themselves, the program and the machine. */
const SHOWN = /^(?:mcp|gen_ai|error|rpc)\b/

/** Spans as `{ id, parentId, name, kind, attributes }`, in the order in which they began. */
export function describeSpans(spans) {
  const ids = new Set(spans.map(({ id }) => id))
  const roots = spans.filter(({ parentId }) => parentId === undefined || !ids.has(parentId))
  return `${roots.flatMap((span) => describeSpan(span, spans, 0)).join('\n')}\n`
}

function describeSpan(span, spans, depth) {
  const start = '  '.repeat(depth)
  const shown = Object.entries(span.attributes).filter(([name]) => SHOWN.test(name) && name !== 'error')
  const attributes = shown.map(([name, value]) => `${start}    ${name}: ${value}`).sort()
  const within = spans.filter(({ parentId }) => parentId === span.id)
  return [
    `${start}${span.name} (${span.kind})`,
    ...attributes,
    ...within.flatMap((child) => describeSpan(child, spans, depth + 1)),
  ]
}
